/** Follows a stream of server-sent events: a connection of its own, closed while nobody looks. */
import { useCallback, useEffect, useReducer, useState, useSyncExternalStore } from 'react'
import { logCall } from '../api/call-log.ts'
import type { OperationId } from '../api/client.ts'
import type { Problem } from '../api/problem.ts'
import { type Message, messagesOf } from './messages.ts'
import { Failed, openEvents, Refused } from './open-events.ts'

/** Counts what the page has heard; 1 is the first. */
export type Numbered<Item> = Item & { number: number }

export interface Followed<Item> {
  status: 'closed' | 'opening' | 'open' | 'lost'
  /** The kind of the items. */
  path: string | null
  /** The newest first. */
  items: readonly Numbered<Item>[]
  skipped: number
  /** Why the service did not open it: if it is lost, that is tried again. */
  problem: Problem | null
  /** Whether the service responded when the stream was lost. */
  isReached: boolean
}

/** The meaning of a message of the stream. */
export interface Heard<Item> {
  /** From now on nothing is missed. */
  isReady?: true
  item?: Item
  skipped?: number
}

interface Source<Item> {
  id: OperationId
  /** With its query; null: nothing is followed. */
  path: string | null
  read: (message: Message) => Heard<Item>
  /** Whether the stream says itself when it is ready; otherwise it is, once it answers. */
  saysReady?: boolean
  /** The messages that a reconnected stream may repeat. */
  keyOf?: (item: Item) => string
}

type Change<Item> =
  | { type: 'opening'; path: string }
  | {
      type: 'status'
      status: Followed<Item>['status']
      problem?: Problem | null
      isReached?: boolean
    }
  | { type: 'heard'; items: readonly Item[]; skipped: number; keyOf?: (item: Item) => string }
  | { type: 'clear' }

const KEPT = 1_000
/** The service sends something every 15 seconds. */
const SILENT_MS = 45_000
const RETRY_MS = 2_000
/** Messages that come within this are drawn together. */
const GATHER_MS = 250

const nothing = {
  status: 'closed',
  path: null,
  items: [],
  skipped: 0,
  problem: null,
  isReached: true,
} as const

function reduce<Item>(state: Followed<Item>, change: Change<Item>): Followed<Item> {
  if (change.type === 'opening') {
    const { path } = change
    const kept = path === state.path ? state : { items: [], skipped: 0 }
    return { ...state, ...kept, path, status: 'opening', problem: null }
  }
  if (change.type === 'clear') return { ...state, items: [], skipped: 0 }
  if (change.type === 'status') {
    const { status, problem = null, isReached = true } = change
    return { ...state, status, problem, isReached }
  }
  const { keyOf } = change
  const known = keyOf && new Set(state.items.map(keyOf))
  const fresh = keyOf ? change.items.filter((each) => !known?.has(keyOf(each))) : change.items
  const first = (state.items[0]?.number ?? 0) + 1
  const added = fresh.map((each, at) => ({ ...each, number: first + at })).toReversed()
  return {
    ...state,
    items: [...added, ...state.items].slice(0, KEPT),
    skipped: state.skipped + change.skipped,
  }
}

const isVisible = (): boolean => !document.hidden
function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

type Dispatch<Item> = (change: Change<Item>) => void
type Opened<Item> = Omit<Source<Item>, 'path'> & { path: string }

/** Reads one connection to its end. */
async function readOne<Item>(
  source: Opened<Item>,
  signal: AbortSignal,
  dispatch: Dispatch<Item>,
  onReached: () => void,
) {
  const { id, path, read, keyOf, saysReady = false } = source
  const done = logCall({ id, method: 'GET', path, body: undefined })
  const body = await openEvents(path, signal)
  done(200)
  onReached()
  if (!saysReady) dispatch({ type: 'status', status: 'open' })
  let items: Item[] = []
  let skipped = 0
  const draw = (): void => {
    if (items.length > 0 || skipped > 0) {
      dispatch({ type: 'heard', items, skipped, ...(keyOf && { keyOf }) })
    }
    items = []
    skipped = 0
  }
  const timer = setInterval(draw, GATHER_MS)
  try {
    for await (const message of messagesOf(body, SILENT_MS)) {
      const heard = read(message)
      if (heard.isReady) dispatch({ type: 'status', status: 'open' })
      if (heard.item !== undefined) items.push(heard.item)
      skipped += heard.skipped ?? 0
    }
  } finally {
    clearInterval(timer)
    draw()
  }
}

async function readAll<Item>(source: Opened<Item>, signal: AbortSignal, dispatch: Dispatch<Item>) {
  while (!signal.aborted) {
    let failure: Problem | null = null
    let isReached = false
    try {
      await readOne(source, signal, dispatch, () => (isReached = true))
    } catch (error) {
      if (signal.aborted) return
      const problem = error instanceof Refused ? error.problem : undefined
      if (problem !== undefined && problem.status !== 429) {
        return dispatch({ type: 'status', status: 'closed', problem })
      }
      if (error instanceof Failed) failure = error.problem
      isReached ||= error instanceof Refused || error instanceof Failed
    }
    if (signal.aborted) return
    dispatch({ type: 'status', status: 'lost', problem: failure, isReached })
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/**
 * @param source all but `path` is that of the first call
 * @returns also functions that clear the items and that repeat a refused request
 */
export function useFollowed<Item>(source: Source<Item>) {
  const [state, dispatch] = useReducer(reduce<Item>, nothing as Followed<Item>)
  const [kept, setKept] = useState(source)
  const isSeen = useSyncExternalStore(onVisibility, isVisible)
  const path = isSeen ? source.path : null
  useEffect(() => {
    if (path === null) return
    const closed = new AbortController()
    dispatch({ type: 'opening', path })
    void readAll({ ...kept, path }, closed.signal, (each) => {
      if (!closed.signal.aborted) dispatch(each)
    })
    return () => {
      closed.abort()
      dispatch({ type: 'status', status: 'closed' })
    }
  }, [kept, path])
  const clear = useCallback(() => dispatch({ type: 'clear' }), [])
  return [state, clear, () => setKept({ ...kept })] as const
}
