/**
 * The pane with the calls of a page, and the call that is about to be made: by the form that is
 * open, or by the button that has the focus or the pointer.
 */
import {
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import type { OperationId } from '../api/client.ts'
import type { Language } from '../api/snippets.ts'

const CallPane = lazy(() => import('./CallPane.tsx'))

interface NextCall {
  owner: string
  id: OperationId
  input: { params?: object; query?: object; body?: unknown }
}

/** Of all forms that are open. The last one was opened or changed last: the pane shows it. */
let calls: readonly NextCall[] = []
/** Where the open dialogs show the pane, the uppermost last. */
let places: readonly HTMLElement[] = []
const uppermost = (): HTMLElement | undefined => places.at(-1)
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

const onNews = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function forget(owner: string): void {
  calls = calls.filter((each) => each.owner !== owner)
  tell()
}

function announce(call: NextCall): void {
  calls = [...calls.filter(({ owner }) => owner !== call.owner), call]
  tell()
}

/** Shows in the pane which call the form that is open is going to make, while one types. */
export function useNextCall(id: OperationId, input: NextCall['input']): void {
  const owner = useId()
  const text = JSON.stringify(input)
  useEffect(
    () => announce({ owner, id, input: JSON.parse(text) as NextCall['input'] }),
    [id, owner, text],
  )
  useEffect(() => () => forget(owner), [owner])
}

/**
 * The same for a button that acts at once, without a form: while it has the focus or the pointer.
 * @returns what the button takes
 */
export function useButtonCall(id: OperationId, input: NextCall['input']) {
  const owner = useId()
  useEffect(() => () => forget(owner), [owner])
  const show = (): void => announce({ owner, id, input })
  const hide = (): void => forget(owner)
  return { onFocus: show, onBlur: hide, onPointerEnter: show, onPointerLeave: hide }
}

export const useComingCall = (): NextCall | undefined =>
  useSyncExternalStore(onNews, () => calls.at(-1))

function usePlace(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    places = [...places, current]
    tell()
    return () => {
      places = places.filter((each) => each !== current)
      tell()
    }
  }, [place])
}

/**
 * The place of the pane in a dialog. Everything outside of a dialog is inert while it is open: its
 * pane is within.
 */
export function PanePlace() {
  const place = useRef<HTMLDivElement>(null)
  usePlace(place)
  return <div ref={place} data-api-pane />
}

export function ApiPane({ onClose }: { onClose: () => void }) {
  const [language, setLanguage] = useState<Language>('curl')
  const place = useSyncExternalStore(onNews, uppermost)
  const pane = (
    <Suspense>
      <CallPane language={language} onLanguage={setLanguage} onClose={onClose} />
    </Suspense>
  )
  return place === undefined ? pane : createPortal(pane, place)
}
