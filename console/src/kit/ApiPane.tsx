/**
 * The pane with the calls of a page, and the next one: of the form that is open, or of the button
 * that has the focus or the pointer.
 */
import {
  lazy,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import type { OperationId } from '../api/client.ts'
import type { Language } from '../api/snippets.ts'
import { useBlocked } from '../session/workspace.tsx'

const CallPane = lazy(() => import('./CallPane.tsx'))

interface NextCall {
  owner: string
  id: OperationId
  input: { params?: object; query?: object; body?: unknown }
}

interface Announced extends NextCall {
  /** How many dialogs were open when it was announced first. */
  depth: number
}

/** The calls of all open forms. The last one was opened or changed last: the pane shows it. */
let calls: readonly Announced[] = []
/** Where the open dialogs show the pane, the uppermost last. */
let places: readonly HTMLElement[] = []
const uppermost = (): HTMLElement | undefined => places.at(-1)
const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function remove(owner: string): void {
  calls = calls.filter((each) => each.owner !== owner)
  notify()
}

/** A form below an open dialog stays below: a read may change it, but nobody can type in it. */
function announce(call: NextCall): void {
  const depth = places.length
  const isBelow = calls.some((each) => each.owner === call.owner && each.depth < depth)
  calls = isBelow
    ? calls.map((each) => (each.owner === call.owner ? { ...each, ...call } : each))
    : [...calls.filter(({ owner }) => owner !== call.owner), { ...call, depth }]
  notify()
}

/** Announces a call while it can be made; it is removed with its component. */
function useAnnounced(id: OperationId, input: NextCall['input'], isPossible: boolean): void {
  const owner = useId()
  const text = JSON.stringify(input)
  useEffect(() => {
    if (isPossible) announce({ owner, id, input: JSON.parse(text) as NextCall['input'] })
    else remove(owner)
  }, [id, isPossible, owner, text])
  useEffect(() => () => remove(owner), [owner])
}

/**
 * Shows in the pane which call the form that is open is going to make, while one types.
 * @param why why the person may not make it, if the operation itself does not say so
 */
export function useNextCall(id: OperationId, input: NextCall['input'], why?: string): void {
  const blocked = useBlocked(id) ?? why
  useAnnounced(id, input, blocked === undefined)
}

const notHeld = { focus: false, pointer: false }

/**
 * The same for a button that acts at once, without a form: while it has the focus or the pointer.
 * @returns what the button takes
 */
export function useButtonCall(id: OperationId, input: NextCall['input'], why?: string) {
  const blocked = useBlocked(id) ?? why
  const [held, setHeld] = useState(notHeld)
  useAnnounced(id, input, blocked === undefined && (held.focus || held.pointer))
  const hold = (part: Partial<typeof notHeld>) => () => setHeld((all) => ({ ...all, ...part }))
  // A button that is taken away says neither that it loses the focus nor the pointer.
  const ref = useCallback(() => () => setHeld(notHeld), [])
  return {
    ref,
    onFocus: hold({ focus: true }),
    onBlur: hold({ focus: false }),
    onPointerEnter: hold({ pointer: true }),
    onPointerLeave: hold({ pointer: false }),
  }
}

export const useComingCall = (): NextCall | undefined =>
  useSyncExternalStore(subscribe, () => calls.at(-1))

function usePlace(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    places = [...places, current]
    notify()
    return () => {
      places = places.filter((each) => each !== current)
      notify()
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
  const place = useSyncExternalStore(subscribe, uppermost)
  const close = (): void => {
    // Its button had the focus, which else would leave the dialog.
    place?.closest<HTMLElement>('[role="dialog"]')?.focus()
    onClose()
  }
  const pane = (
    <Suspense>
      <CallPane language={language} onLanguage={setLanguage} onClose={close} />
    </Suspense>
  )
  return place === undefined ? pane : createPortal(pane, place)
}
