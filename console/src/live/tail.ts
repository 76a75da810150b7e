/** Messages as they are published: a stream of its own, closed while nobody looks at the page. */
import { useEffect, useReducer, useSyncExternalStore } from 'react'
import { operations } from '../../../sdk/schema.ts'
import { logCall } from '../api/call-log.ts'
import { pathOf } from '../api/client.ts'
import type { Problem } from '../api/problem.ts'
import { messagesOf } from './messages.ts'
import { openEvents, Refused } from './open-events.ts'

export interface TailMessage {
  /** Counts the messages of the page; 1 is the first. */
  number: number
  at: string
  topic: string
  broker: string
  client: string | null
  qos: number
  retain: boolean
  bytes: number
  encoding: 'text' | 'base64'
  payload: string
}

export interface TailInput {
  workspaceId: string
  topic: string
  config: boolean
}

export interface TailState {
  status: 'closed' | 'opening' | 'open' | 'lost'
  /** The newest first. */
  messages: readonly TailMessage[]
  skipped: number
  /** Why the service refused to open it. */
  problem: Problem | null
}

type Change =
  | { type: 'status'; status: TailState['status']; problem?: Problem | null }
  | { type: 'heard'; messages: readonly Omit<TailMessage, 'number'>[]; skipped: number }
  | { type: 'clear' }

const KEPT = 300
/** The service sends something every 15 seconds. */
const SILENT_MS = 45_000
const RETRY_MS = 2_000
/** Messages that come within this are drawn together. */
const GATHER_MS = 250

const nothing: TailState = { status: 'closed', messages: [], skipped: 0, problem: null }

function reduce(state: TailState, change: Change): TailState {
  if (change.type === 'clear') return { ...state, messages: [], skipped: 0 }
  if (change.type === 'status') {
    return { ...state, status: change.status, problem: change.problem ?? null }
  }
  const first = (state.messages[0]?.number ?? 0) + 1
  const added = change.messages.map((each, at) => ({ ...each, number: first + at })).toReversed()
  const messages = [...added, ...state.messages].slice(0, KEPT)
  return { ...state, messages, skipped: state.skipped + change.skipped }
}

const isVisible = (): boolean => !document.hidden
function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

function pathOfTail({ workspaceId, topic, config }: TailInput): string {
  const query = { topic, ...(config && { config }) }
  return pathOf(operations.tailMessages, { params: { id: workspaceId }, query })
}

/** Reads one connection to its end. */
async function read(
  path: string,
  signal: AbortSignal,
  change: (change: Change) => void,
): Promise<void> {
  const done = logCall({ id: 'tailMessages', method: 'GET', path, body: undefined })
  const body = await openEvents(path, signal)
  done(200)
  let heard: Omit<TailMessage, 'number'>[] = []
  let skipped = 0
  const draw = (): void => {
    if (heard.length > 0 || skipped > 0) change({ type: 'heard', messages: heard, skipped })
    heard = []
    skipped = 0
  }
  const timer = setInterval(draw, GATHER_MS)
  try {
    for await (const { event, data } of messagesOf(body, SILENT_MS)) {
      if (event === 'ready') change({ type: 'status', status: 'open' })
      else if (event === 'message') heard.push(data as TailMessage)
      else if (event === 'skipped') skipped += (data as { count: number }).count
    }
  } finally {
    clearInterval(timer)
    draw()
  }
}

async function readAll(
  path: string,
  signal: AbortSignal,
  change: (change: Change) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await read(path, signal, change)
    } catch (error) {
      if (signal.aborted) return
      const problem = error instanceof Refused ? error.problem : undefined
      if (problem !== undefined && problem.status !== 429) {
        return change({ type: 'status', status: 'closed', problem })
      }
    }
    if (signal.aborted) return
    change({ type: 'status', status: 'lost' })
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** @param input null: nothing is watched */
export function useTail(input: TailInput | null): readonly [TailState, clear: () => void] {
  const [state, change] = useReducer(reduce, nothing)
  const isSeen = useSyncExternalStore(onVisibility, isVisible)
  const path = input === null || !isSeen ? null : pathOfTail(input)
  useEffect(() => {
    if (path === null) return
    const closed = new AbortController()
    change({ type: 'status', status: 'opening' })
    void readAll(path, closed.signal, (each) => {
      if (!closed.signal.aborted) change(each)
    })
    return () => {
      closed.abort()
      change({ type: 'status', status: 'closed' })
    }
  }, [path])
  return [state, () => change({ type: 'clear' })]
}
