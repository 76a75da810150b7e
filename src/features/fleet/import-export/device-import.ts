/**
 * Imports devices from a stream: rows are written in chunks, one transaction each, and each row has
 * its own result, sent after the commit. Importing the same file again changes nothing.
 */
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import type { DeviceServices } from '../../devices/registry/device-creation.ts'
import { gathered } from './gathered.ts'
import { writeTogether } from './import-chunk.ts'
import { type Draft, failed, type ImportContext, namesOf, type Settings } from './import-work.ts'
import { inOrder } from '../../../platform/lib/in-order.ts'
import type { ImportDevice, ImportQuery, ImportResult } from './schema.ts'
import { SeenKeys } from './seen-keys.ts'

/** In addition to the services of all operations. */
export type ImportServices = DeviceServices

/** A row as parsed by the transport, or its error. */
export type ImportRow = { line: number } & ({ value: ImportDevice } | { failure: Failure })

/** Rows per transaction: large enough to amortize its cost, small enough to respond soon. */
const CHUNK = 2_000

/** Two rows of a file must not name one device, or what it becomes would hang on their order. */
function requireNew(seen: SeenKeys, { line, value }: Draft): void {
  const { device_key, hardware_id } = value
  if (!device_key && !hardware_id) {
    throw invalid('/device_key', 'is missing: a row wants device_key or hardware_id')
  }
  for (const { text, pointer } of namesOf(device_key, hardware_id)) {
    const first = seen.add(text, line)
    if (first !== line) throw invalid(pointer, `stands in line ${first} already`)
  }
}

const asFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('internal_error', { cause: error })

/** Writes the rows together; if the database refuses one, each is written alone. */
async function writeChunk(
  context: ImportContext,
  settings: Settings,
  drafts: readonly Draft[],
  seen: SeenKeys,
): Promise<Map<Draft, ImportResult>> {
  if (drafts.length === 0) return new Map()
  try {
    return await writeTogether(context, settings, drafts, seen)
  } catch (error) {
    if (drafts.length === 1 || error instanceof Failure) {
      const failure = asFailure(error)
      return new Map(drafts.map((draft) => [draft, failed(draft.line, failure)]))
    }
    const results = new Map<Draft, ImportResult>()
    for (const draft of drafts) {
      const [entry] = await writeChunk(context, settings, [draft], seen)
      if (entry !== undefined) results.set(...entry)
    }
    return results
  }
}

async function importChunk(
  context: ImportContext,
  settings: Settings,
  rows: readonly ImportRow[],
  seen: SeenKeys,
): Promise<ImportResult[]> {
  const drafts = rows.map((row): Draft | ImportResult => {
    if ('failure' in row) return failed(row.line, row.failure)
    try {
      requireNew(seen, row)
      return row
    } catch (error) {
      return failed(row.line, asFailure(error))
    }
  })
  const good = drafts.filter((draft) => 'value' in draft)
  const results = await writeChunk(context, settings, good, seen)
  return drafts.map((draft) => ('value' in draft ? (results.get(draft) as ImportResult) : draft))
}

/**
 * Chunks in progress: while the database writes one, the next is prepared and sent. A chunk waits
 * for another if their rows name the same device by different ids; otherwise they are independent.
 */
const TOGETHER = 2

/** One result per row, in order, however chunks are committed. */
export async function* importDevices(
  context: ImportContext,
  { mode = 'upsert', dry_run = false, credentials = false }: ImportQuery,
  body: AsyncIterable<ImportRow[]>,
): AsyncGenerator<ImportResult[]> {
  const settings = { mode, isDryRun: dry_run, wantsCredentials: credentials }
  const seen = new SeenKeys()
  const chunks = gathered(body, CHUNK)
  try {
    yield* inOrder(chunks, TOGETHER, (rows) => importChunk(context, settings, rows, seen))
  } finally {
    void chunks.return(undefined).catch(() => {})
  }
}
