/** Reads of one page or dialog that fail for the same reason: one note above them says so. */
import {
  createContext,
  type ReactNode,
  use,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Problem } from '../api/problem.ts'

interface Failed {
  problem: Problem
  /** The data that could not be read. */
  of: string
  retry: () => unknown
  /** Said above in any case: where it is missing, other things are said. */
  isAbove: boolean
}

/** The failures of the reads of a page or a dialog. */
class Failures {
  #all: readonly Failed[] = []
  readonly #listeners = new Set<() => void>()

  readonly all = (): readonly Failed[] => this.#all

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly add = (failed: Failed): (() => void) => {
    this.#change([...this.#all, failed])
    return () => this.#change(this.#all.filter((each) => each !== failed))
  }

  #change(all: readonly Failed[]): void {
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

const reasonOf = ({ problem: { code, message } }: Pick<Failed, 'problem'>): string =>
  `${code} ${message}`

const isTogether = (same: readonly Failed[]): boolean =>
  same.length > 1 || same.some(({ isAbove }) => isAbove)

/** @returns whether a note above says it */
export function useSaidAbove({ problem, of, retry, isAbove }: Failed): boolean {
  const failures = use(Present)
  const latest = useRef(retry)
  useLayoutEffect(() => {
    latest.current = retry
  })
  useLayoutEffect(() => {
    if (failures === none) return undefined
    return failures.add({ problem, of, isAbove, retry: () => latest.current() })
  }, [failures, problem, of, isAbove])
  const all = useSyncExternalStore(failures.listen, failures.all)
  return isTogether(all.filter((each) => reasonOf(each) === reasonOf({ problem })))
}

interface Together extends Pick<Failed, 'problem' | 'retry'> {
  /** No other has it. */
  reason: string
  /** Undefined for several things. */
  of: string | undefined
}

/** The failures to show above, once for each reason. */
export function useSaidTogether(): readonly Together[] {
  const failures = use(Present)
  const all = useSyncExternalStore(failures.listen, failures.all)
  const byReason = [...Map.groupBy(all, reasonOf)].filter(([, same]) => isTogether(same))
  return byReason.map(([reason, same]) => {
    const [first, ...others] = same as [Failed, ...Failed[]]
    return {
      reason,
      problem: first.problem,
      of: others.every(({ of }) => of === first.of) ? first.of : undefined,
      retry: () => Promise.all(same.map((each) => each.retry())),
    }
  })
}
