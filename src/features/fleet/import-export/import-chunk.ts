/**
 * Writes the rows of a chunk in one transaction with a few statements. If two imports create the
 * same device concurrently, the second one finds it in its next round.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found, invalid } from '../../../platform/errors/errors.ts'
import { formatId, uuidOf } from '../../../platform/lib/ids.ts'
import { definitionsFor } from '../../devices/custom-fields/custom-field-values.ts'
import { type Known, planRow, type Templates } from './import-plan.ts'
import { keepTemplateRules } from '../../mqtt/rule-narrowing/narrowing.ts'
import * as store from './import-store.ts'
import {
  type Draft,
  failed,
  type ImportContext,
  namesOf,
  type Planned,
  type Settings,
  type Work,
} from './import-work.ts'
import { create, giveSecrets, update } from './import-writes.ts'
import type { ImportResult } from './schema.ts'
import type { SeenKeys } from './seen-keys.ts'

/** Rounds, as others may create or delete devices meanwhile and serial numbers may be taken. */
const ROUNDS = 10

async function readTemplates(
  trx: Db,
  workspaceId: string,
  drafts: readonly Draft[],
): Promise<Templates> {
  const ids = new Set(drafts.flatMap(({ value }) => value.template_id ?? []))
  const modelKeys = new Set(drafts.flatMap(({ value }) => value.model_key ?? []))
  const uuids = [...ids].map((id) => uuidOf('tpl', id))
  const named = uuids.length + modelKeys.size > 0
  const customFields = await definitionsFor(
    trx,
    workspaceId,
    drafts.map(({ value }) => value.custom_fields),
  )
  const rows = named
    ? await store.findTemplates.rows(trx, { workspaceId, ids: uuids, modelKeies: [...modelKeys] })
    : []
  return {
    customFields,
    byId: new Map(rows.map((row) => [row.id, row])),
    byModelKey: new Map(rows.map((row) => [row.model_key, row])),
  }
}

async function readKnown({ trx, context }: Work, drafts: readonly Draft[]): Promise<Known> {
  const rows = await store.lockDevices.rows(trx, {
    workspaceId: context.workspaceId,
    deviceKeys: drafts.flatMap(({ value }) => value.device_key ?? []),
    hardwareIds: drafts.flatMap(({ value }) => value.hardware_id ?? []),
  })
  return {
    byKey: new Map(rows.map((row) => [row.device_key, row])),
    byHardwareId: new Map(rows.flatMap((row) => (row.hardware_id ? [[row.hardware_id, row]] : []))),
  }
}

/**
 * One row may name a device by its key and a distant row by its hardware id: each would undo the
 * other.
 */
function requireSole({ seen }: Work, { line, value }: Draft, device: store.KnownDevice): void {
  const { device_key, hardware_id } = value
  const pointer = device_key ? '/device_key' : '/hardware_id'
  // Its own names are known to be new.
  const others = namesOf(
    device_key ? null : device.device_key,
    hardware_id ? null : device.hardware_id,
  )
  for (const { text } of others) {
    const first = seen.lineOf(text) ?? line
    if (first < line) throw invalid(pointer, `names the same device as line ${first}`)
  }
}

/** @returns drafts that need another round */
async function runRound(work: Work, drafts: readonly Draft[]): Promise<Draft[]> {
  const { results, settings } = work
  const known = await readKnown(work, drafts)
  const creating: Planned<'create'>[] = []
  const updating: Planned<'update'>[] = []
  const found: [Draft, store.KnownDevice][] = []
  const report = (
    draft: Draft,
    status: 'updated' | 'unchanged',
    device: store.KnownDevice,
  ): void => {
    const { id, device_key } = device
    results.set(draft, { line: draft.line, status, device_id: formatId('dev', id), device_key })
    found.push([draft, device])
  }
  for (const draft of drafts) {
    try {
      const step = planRow(draft.value, known, work.templates, settings.mode)
      if (step.kind !== 'create') {
        requireSole(work, draft, step.kind === 'keep' ? step.device : step.before)
      }
      if (step.kind === 'create') creating.push({ ...step, draft })
      else if (step.kind === 'keep') report(draft, 'unchanged', step.device)
      else {
        updating.push({ ...step, draft })
        report(draft, 'updated', step.after)
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      results.set(draft, failed(draft.line, error))
    }
  }
  await update(work, updating)
  await giveSecrets(work, found)
  return creating.length === 0 ? [] : create(work, creating)
}

async function runRounds(work: Work, drafts: readonly Draft[]): Promise<void> {
  let left = drafts
  for (let round = 0; round < ROUNDS && left.length > 0; round += 1) {
    left = await runRound(work, left)
  }
  const tired = new Failure('device_key_taken', {
    detail: `Others had each of the ${ROUNDS} keys that were tried.`,
  })
  for (const draft of left) work.results.set(draft, failed(draft.line, tired))
}

/**
 * Writes all rows or none. No two of them may name the same key or hardware id.
 * @throws the database's error about one of the rows
 */
export function writeTogether(
  context: ImportContext,
  settings: Settings,
  drafts: readonly Draft[],
  seen: SeenKeys,
): Promise<Map<Draft, ImportResult>> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    await keepTemplateRules(trx, workspaceId)
    const slug = found(
      (await store.lockHome.first(trx, { id: workspaceId }))?.slug,
      'workspace_not_found',
    )
    const templates = await readTemplates(trx, workspaceId, drafts)
    const results = new Map<Draft, ImportResult>()
    const work: Work = { context, settings, trx, slug, templates, results, seen, undo: [] }
    try {
      await runRounds(work, drafts)
    } catch (error) {
      for (const undo of work.undo) undo()
      throw error
    }
    return results
  })
}
