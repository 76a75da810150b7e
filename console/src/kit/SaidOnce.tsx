/** Reads of one page or dialog that fail for the same reason: the first of them says so for all. */
import {
  createContext,
  type ReactNode,
  type RefObject,
  use,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Problem } from '../api/problem.ts'
import { language, locale } from '../words/language.ts'

interface Failed {
  /** What could not be read. */
  of: string
  retry: () => unknown
}

interface Told extends Failed {
  reason: string
  place: RefObject<HTMLElement | null>
}

/** In the order of the page. */
function isBefore({ place: one }: Told, { place: other }: Told): number {
  if (one.current === null || other.current === null) return 0
  const position = one.current.compareDocumentPosition(other.current)
  return (position & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1
}

/** What the reads of a page or a dialog have failed with. */
class Failures {
  #all: readonly Told[] = []
  readonly #listeners = new Set<() => void>()

  readonly all = (): readonly Told[] => this.#all

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly add = (told: Told): (() => void) => {
    this.#change([...this.#all, told].toSorted(isBefore))
    return () => this.#change(this.#all.filter((each) => each !== told))
  }

  #change(all: readonly Told[]): void {
    this.#all = all
    for (const listener of this.#listeners) listener()
  }
}

/** Outside of pages and dialogs nothing is added: each note speaks for itself. */
const none = new Failures()

const Present = createContext(none)

export function SaidOnce({ children }: { children: ReactNode }) {
  const [failures] = useState(() => new Failures())
  return <Present value={failures}>{children}</Present>
}

/**
 * @param place its note
 * @returns what its note says could not be read; undefined if that of another says it
 */
export function useSaidOnce(
  problem: Problem,
  { of, retry }: Failed,
  place: RefObject<HTMLElement | null>,
): Failed | undefined {
  const failures = use(Present)
  const reason = `${problem.code} ${problem.message}`
  const latest = useRef(retry)
  useLayoutEffect(() => {
    latest.current = retry
  })
  useLayoutEffect(() => {
    if (failures === none) return undefined
    return failures.add({ of, reason, place, retry: () => latest.current() })
  }, [failures, of, reason, place])
  const all = useSyncExternalStore(failures.listen, failures.all)
  const same = all.filter((each) => each.reason === reason)
  if (same.length === 0) return { of, retry }
  if (same[0]?.place !== place) return undefined
  const again = (): Promise<unknown> => Promise.all(same.map((each) => each.retry()))
  return { of: namesOf(same.map((each) => each.of)), retry: again }
}

const list = new Intl.ListFormat(locale)

/** In German they are nouns, and in English each begins as a sentence does. */
const withinSentence = (name: string): string =>
  language === 'en' ? name.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()) : name

function namesOf(names: readonly string[]): string {
  const [first = '', ...others] = new Set(names)
  return list.format([first, ...others.map(withinSentence)])
}
