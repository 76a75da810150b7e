/** Sends a file of devices piece by piece, and counts the results as they come. */
import { useReducer, useRef } from 'react'
import type { ImportResult } from '../../../sdk/schema.ts'
import { type DeviceFile, type Mapping, nameOf, PIECE, rowsOf } from './import-file.ts'
import { type Problem, problemOf } from './problem.ts'
import { sendRows } from './rows.ts'
import { t } from '../i18n/frame.ts'

export interface ImportOptions {
  mode: 'upsert' | 'create' | 'update'
  dry_run: boolean
  credentials: boolean
}

export interface WrongRow {
  /** As a program for tables shows it, without empty lines: the header of a table is row 1. */
  number: number
  row: readonly string[]
  message: string
}

export interface ImportRun {
  status: 'idle' | 'running' | 'done' | 'stopped'
  isTrial: boolean
  counts: Readonly<Record<'created' | 'updated' | 'unchanged' | 'failed', number>>
  wrong: readonly WrongRow[]
  /** Results with secrets, which are shown this once; those of earlier runs of the page too. */
  secrets: readonly ImportResult[]
  /** Why it stopped. */
  problem: Problem | null
}

const nothing: ImportRun = {
  status: 'idle',
  isTrial: false,
  counts: { created: 0, updated: 0, unchanged: 0, failed: 0 },
  wrong: [],
  secrets: [],
  problem: null,
}

export const doneOf = ({ counts }: ImportRun): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** A failed row in words: which member, and what about it. */
function messageOf({ errors = [], message, code }: ImportResult): string {
  const parts = errors.map((each) => `${each.pointer.slice(1)} ${each.message}`)
  return parts.length > 0 ? parts.join('; ') : (message ?? code ?? t('failed'))
}

interface Sent {
  number: number
  row: readonly string[]
}

function added(run: ImportRun, results: readonly (readonly [Sent, ImportResult])[]): ImportRun {
  const counts = { ...run.counts }
  const wrong = [...run.wrong]
  const secrets = [...run.secrets]
  for (const [sent, result] of results) {
    counts[result.status] += 1
    if (result.status === 'failed') wrong.push({ ...sent, message: messageOf(result) })
    if (result.mqtt_credentials !== undefined) secrets.push(result)
  }
  wrong.sort((one, other) => one.number - other.number)
  return { ...run, counts, wrong, secrets }
}

/** Results that come within this are drawn together. */
const GATHER_MS = 200

type Draw = (change: (run: ImportRun) => ImportRun) => void

/** Sends one piece. The results that have arrived are shown also if the response ends early. */
async function sendPiece(
  input: { params: { id: string }; query: ImportOptions; signal: AbortSignal },
  [file, mapping]: readonly [DeviceFile, Mapping],
  piece: readonly Sent[],
  draw: Draw,
): Promise<void> {
  let heard: (readonly [Sent, ImportResult])[] = []
  let next = 0
  const flush = (): void => {
    const results = heard
    heard = []
    if (results.length > 0) draw((run) => added(run, results))
  }
  const timer = setInterval(flush, GATHER_MS)
  const rows = rowsOf(
    file,
    mapping,
    piece.map(({ row }) => row),
  )
  try {
    await sendRows('importDevices', input, rows, (result) => {
      heard.push([piece[next] as Sent, result as ImportResult])
      next += 1
    })
  } finally {
    clearInterval(timer)
    flush()
  }
}

/** Rows whose device an earlier row names, as results; the service sees only those of one piece. */
function repeated(file: DeviceFile, mapping: Mapping) {
  const first = new Map<string, number>()
  const good: Sent[] = []
  const bad: (readonly [Sent, ImportResult])[] = []
  const firstRow = file.form === 'csv' ? 2 : 1
  for (const [at, row] of file.rows.entries()) {
    const number = firstRow + at
    const sent = { number, row }
    const name = nameOf(file, mapping, row)
    const earlier = name === undefined ? undefined : first.get(name)
    if (name !== undefined && earlier === undefined) first.set(name, number)
    if (earlier === undefined) good.push(sent)
    else {
      const message = t('names the same device as row {row}', { row: earlier })
      bad.push([sent, { line: 0, status: 'failed', message }])
    }
  }
  return { good, bad }
}

async function run(
  workspaceId: string,
  file: DeviceFile,
  mapping: Mapping,
  query: ImportOptions,
  { signal, draw }: { signal: AbortSignal; draw: Draw },
): Promise<void> {
  const { good, bad } = repeated(file, mapping)
  draw(({ secrets }) =>
    added({ ...nothing, secrets, status: 'running', isTrial: query.dry_run }, bad),
  )
  const input = { params: { id: workspaceId }, query, signal }
  try {
    for (let at = 0; at < good.length; at += PIECE) {
      await sendPiece(input, [file, mapping], good.slice(at, at + PIECE), draw)
    }
    draw((each) => ({ ...each, status: 'done' }))
  } catch (error) {
    const problem = signal.aborted ? null : problemOf(error)
    draw((each) => ({ ...each, status: 'stopped', problem }))
  }
}

export function useImport(workspaceId: string) {
  const [state, draw] = useReducer(
    (present: ImportRun, change: (run: ImportRun) => ImportRun) => change(present),
    nothing,
  )
  const stopping = useRef<AbortController>(undefined)
  return {
    run: state,
    start: (file: DeviceFile, mapping: Mapping, options: ImportOptions): Promise<void> => {
      const stop = new AbortController()
      stopping.current = stop
      return run(workspaceId, file, mapping, options, { signal: stop.signal, draw })
    },
    stop: (): void => stopping.current?.abort(),
    reset: (): void => draw(({ secrets }) => ({ ...nothing, secrets })),
  }
}
