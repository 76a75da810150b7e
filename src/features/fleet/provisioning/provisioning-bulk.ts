/**
 * Bulk provisioning from a stream: new registrations are written together, many per statement; any
 * other row (a rotation, a retry, a conflict) is processed like a single request. Every row has its
 * own result.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '../../../platform/errors/errors.ts'
import { inOrder } from '../../../platform/lib/in-order.ts'
import { isClientId } from '../../common/device-key.ts'
import { registerByKey } from '../../devices/registry/device-registration.ts'
import { requireKeyLimits, type ProvisionContext } from './key-limits.ts'
import { provisionDevice } from './provisioning.ts'
import { draftRegistration, type Draft } from './registration.ts'
import { findFirstResponses, type Provisioned } from './replay.ts'
import type { ProvisionDevice, ProvisionResult } from './schema.ts'
import { withPublicIds } from './sent-ids.ts'

/** A row as parsed by the transport, or its error. */
export type BulkRow = { line: number } & ({ value: ProvisionDevice } | { failure: Failure })

/** Rows per statement: large enough to amortize its cost, small enough to respond soon. */
const BATCH = 500

const failed = (line: number, failure: Failure): ProvisionResult => ({
  line,
  status: failure.status,
  code: failure.code,
  message: failure.message,
  ...(failure.options.errors && { errors: failure.options.errors }),
  ...(failure.options.rule !== undefined && { rule: failure.options.rule }),
})

const unexpected = (line: number, error: unknown): ProvisionResult =>
  failed(line, error instanceof Failure ? error : new Failure('internal_error', { cause: error }))

/** Whether a row can be batched. */
const isPlain = (context: ProvisionContext, row: BulkRow): boolean =>
  'value' in row &&
  row.value.device_id === undefined &&
  (row.value.template_id !== undefined || row.value.device_key !== undefined) &&
  !isClientId(row.value.device_key ?? '') &&
  context.caller.actions.includes('register')

async function single(context: ProvisionContext, row: BulkRow): Promise<ProvisionResult> {
  if ('failure' in row) return failed(row.line, row.failure)
  try {
    // The request's Idempotency-Key cannot identify each row.
    const request = { ...context.request, idempotencyKey: undefined }
    const { status, body } = await provisionDevice({ ...context, request }, row.value)
    return { line: row.line, status, ...body }
  } catch (error) {
    return unexpected(row.line, error)
  }
}

async function draftRow(context: ProvisionContext, row: BulkRow): Promise<Draft | undefined> {
  if (!isPlain(context, row) || !('value' in row)) return undefined
  try {
    const input = withPublicIds(row.value)
    requireKeyLimits(context, input.workspace_id)
    return await draftRegistration(context, input, undefined)
  } catch {
    // Processing it alone finds the same error and reports it.
    return undefined
  }
}

/** Rows written together, with drafts for new registrations. */
interface Batch {
  rows: readonly BulkRow[]
  drafts: readonly (Draft | undefined)[]
}

async function draftBatch(context: ProvisionContext, rows: readonly BulkRow[]): Promise<Batch> {
  return { rows, drafts: await Promise.all(rows.map((row) => draftRow(context, row))) }
}

async function writeBatch(
  context: ProvisionContext,
  { rows, drafts }: Batch,
): Promise<ProvisionResult[]> {
  const plain = drafts.filter((draft) => draft !== undefined)
  const { registered, unsure } = await registerTogether(context, plain)
  const left = plain.filter(({ registration }) => !registered.has(registration.id))
  const repeated = await findFirstResponses(
    context,
    left.flatMap(({ registration }) => registration.hardwareId ?? []),
  )
  const results: ProvisionResult[] = []
  for (const [index, row] of rows.entries()) {
    const draft = drafts[index]
    const { id, hardwareId } = draft?.registration ?? { id: '', hardwareId: null }
    const first = hardwareId === null ? undefined : repeated.get(hardwareId)
    if (draft !== undefined && registered.has(id)) {
      results.push({ line: row.line, status: 201, ...draft.body })
    } else if (first !== undefined && mayReplay(context, first, draft)) {
      results.push({ line: row.line, status: first.status, ...first.body })
    } else if (unsure !== undefined && draft !== undefined && !isRecognised(context, row)) {
      results.push(failed(row.line, unsure))
    } else {
      results.push(await single(context, row))
    }
  }
  return results
}

/**
 * Whether a row may get its device's first response. If known devices are refused: only if this
 * very row registered the device and the database's response was lost.
 */
const mayReplay = (
  { caller }: ProvisionContext,
  first: Provisioned,
  draft: Draft | undefined,
): boolean => caller.onKnownDevice !== 'refuse' || first.body.device_id === draft?.body.device_id

/** Whether registering the row again would find the first registration and get its response. */
const isRecognised = ({ caller }: ProvisionContext, row: BulkRow): boolean =>
  'value' in row &&
  caller.onKnownDevice !== 'refuse' &&
  (row.value.hardware_id !== undefined || row.value.device_key !== undefined)

interface Together {
  /** Ids that are registered now; the others' serial numbers are free again. */
  registered: ReadonlySet<string>
  /** Set if the database did not respond, so the statement may have taken effect. */
  unsure?: Failure
}

/** One statement; passwords for brokers that store them commit with it. */
async function writeDevices(
  { db, passwordSync, caller }: ProvisionContext,
  drafts: readonly Draft[],
): Promise<ReadonlySet<string>> {
  const registrations = drafts.map(({ registration }) => registration)
  if (!passwordSync.isNeeded()) return registerByKey(db, registrations)
  return db.transaction(async (trx) => {
    const registered = await registerByKey(trx, registrations)
    const issued = drafts
      .filter(({ registration }) => registered.has(registration.id))
      .map(({ body }) => ({ principalId: body.device_id, password: body.mqtt_password }))
    await passwordSync.issued(trx, caller.workspaceId, issued)
    return registered
  })
}

async function registerTogether(
  context: ProvisionContext,
  drafts: readonly Draft[],
): Promise<Together> {
  try {
    const registered = await writeDevices(context, drafts)
    for (const draft of drafts) {
      if (!registered.has(draft.registration.id)) draft.serial?.giveBack()
    }
    return { registered }
  } catch (error) {
    if (error instanceof Failure) return { registered: new Set(), unsure: error }
    // A refused row fails the whole statement, so each is then tried alone.
    for (const draft of drafts) draft.serial?.giveBack()
    return { registered: new Set() }
  }
}

/** Batches with their drafts. @param waiting has those whose writing has not begun */
async function* draftBatches(
  context: ProvisionContext,
  body: AsyncIterable<BulkRow[]>,
  waiting: Set<Batch>,
): AsyncGenerator<Batch, undefined> {
  for await (const rows of body) {
    for (let at = 0; at < rows.length; at += BATCH) {
      // Lets the previous statement be sent before this occupies the processor.
      await nextTurn()
      const batch = await draftBatch(context, rows.slice(at, at + BATCH))
      waiting.add(batch)
      yield batch
    }
  }
  return undefined
}

/**
 * Statements of a stream in flight: while one waits for the disk, the other one works. With a quota
 * they take turns, so that the rows that exceed it are the last ones.
 */
const togetherOf = ({ caller }: ProvisionContext): number => (caller.hasQuota ? 1 : 2)

/**
 * One result per row, in order, sent as soon as it is committed. While the database writes batches
 * the next one is read and prepared; results never wait for further rows.
 */
export async function* provisionDevices(
  context: ProvisionContext,
  body: AsyncIterable<BulkRow[]>,
): AsyncGenerator<ProvisionResult[]> {
  const waiting = new Set<Batch>()
  const batches = draftBatches(context, body, waiting)
  const write = (batch: Batch): Promise<ProvisionResult[]> => {
    waiting.delete(batch)
    return writeBatch(context, batch)
  }
  try {
    yield* inOrder(batches, togetherOf(context), write)
  } finally {
    const returnSerials = (): void => {
      const unused = [...waiting].flatMap(({ drafts }) => drafts)
      for (const draft of unused) draft?.serial?.giveBack()
    }
    // After a batch that is being prepared.
    void batches.return(undefined).then(returnSerials, returnSerials)
  }
}
