/**
 * The steps of a campaign, each under the lock of its row: asks a wave of devices to rotate, as a
 * job does; tracks them; evaluates the finished wave; and after a pause starts the next. No step
 * changes a secret: only a device's own call creates one, and only its use invalidates the old one.
 */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Task } from '../../../platform/jobs/job.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { isActiveWorkspace } from '../../team/active-workspaces/active-workspace.ts'
import { type ActionServices, contextOf } from '../bulk-jobs/action.ts'
import { applyAction } from '../bulk-jobs/actions.ts'
import { type Gathered, nextSelected } from '../device-work/selected-devices.ts'
import { keyOf } from '../../common/row-key.ts'
import { recordWork } from '../device-work/work.ts'
import { createWorkTasks, prepare } from '../device-work/work-run.ts'
import { campaignKind } from './campaign-kind.ts'
import * as devices from './device-store.ts'
import type { CampaignDeviceStatus } from './schema.ts'
import * as store from './store.ts'
import { columnsOf } from '../../../platform/database/sql.ts'

type CampaignServices = Pick<Services, 'db'> & ActionServices

const AT_ONCE = 1_000

/** Ends or halts it, which the service has decided, and nobody else. */
async function end(
  trx: Db,
  row: store.CampaignRow,
  status: 'halted' | 'completed' | 'failed',
  failure: string | null = null,
): Promise<void> {
  const ended = await store.setStatus.one(trx, { ...keyOf(row), status, failure })
  const action = `rotation_campaign.${status}` as const
  await recordWork(campaignKind, trx, serviceOrigin, action, ended)
}

const preparation = {
  gather(trx: Db, row: store.CampaignRow, limit: number): Promise<Gathered> {
    return nextSelected(trx, row.workspace_id, row.filter ?? '', row.expanded_to, limit)
  },
  fail: (trx: Db, row: store.CampaignRow, code: string) => end(trx, row, 'failed', code),
}

/** Asks the next devices of the wave; deleted ones fail immediately. */
async function askSome(services: CampaignServices, trx: Db, row: store.CampaignRow): Promise<void> {
  const limit = Math.min(AT_ONCE, row.wave_left)
  const due = await store.dueDevices.rows(trx, { ...keyOf(row), limit })
  const ids = due.map(({ id }) => id)
  const context = contextOf(campaignKind, row, {})
  const results = await applyAction(services, trx, 'rotate', context, ids)
  await devices.markAsked.run(trx, { ...columnsOf(results), ...keyOf(row), wave: row.wave })
  const failed = results.filter(({ status }) => status === 'failed').length
  // The last wave may be smaller.
  const wave_left = due.length < limit ? 0 : row.wave_left - due.length
  const counts = { due: -due.length, waiting: due.length - failed, failed }
  await store.addCounts(trx, { ...row, wave_left }, counts)
}

/** Checks all devices that were asked. */
export async function trackAsked(
  { db, mqttBrokers }: Pick<CampaignServices, 'db' | 'mqttBrokers'>,
  seen: store.CampaignRow,
  signal: AbortSignal,
): Promise<void> {
  const storing = mqttBrokers().filter(({ keepsPasswords }) => keepsPasswords)
  const storingBrokers = storing.map(({ name }) => name)
  let after: string | null = null
  do {
    after = await db.transaction(async (trx): Promise<string | null> => {
      const key = keyOf(seen)
      const row = await store.statements.lock.first(trx, key)
      if (row === undefined || row.ended_at !== null) return null
      const confirmSeconds = row.confirm_within_s
      const page = { ...key, confirmSeconds, storingBrokers, after, limit: AT_ONCE }
      const tracked = await devices.trackDevices.rows(trx, page)
      const by: Partial<Record<CampaignDeviceStatus, number>> = {}
      for (const { was, becomes } of tracked) {
        if (was === becomes) continue
        by[was] = (by[was] ?? 0) - 1
        by[becomes] = (by[becomes] ?? 0) + 1
      }
      if (Object.keys(by).length > 0) await store.addCounts(trx, row, by)
      return tracked.length < AT_ONCE ? null : (tracked.at(-1)?.id ?? null)
    })
  } while (after !== null && !signal.aborted)
}

const sizeOf = ({ wave_size, wave_percent, total }: store.CampaignRow): number =>
  wave_size ?? Math.max(1, Math.ceil((total * (wave_percent ?? 100)) / 100))

async function isFailing(trx: Db, row: store.CampaignRow): Promise<boolean> {
  const since = { ...keyOf(row), wave: row.judged_from }
  const { failed, ended } = await devices.outcomeOf.one(trx, since)
  return ended > 0 && failed / ended > row.max_failure_rate
}

/** Ends a wave and starts the next. @returns whether there is more to do now */
async function changeWave(trx: Db, row: store.CampaignRow): Promise<boolean> {
  if (row.wave > 0 && row.wave_ended_at === null) {
    const wave = { ...keyOf(row), wave: row.wave, seconds: row.confirm_within_s }
    if (await devices.isWaveOpen.any(trx, wave)) return false
    await store.closeWave.run(trx, keyOf(row))
    if (await isFailing(trx, row)) {
      await end(trx, row, 'halted')
      return false
    }
  }
  if (row.due === 0) {
    await end(trx, row, 'completed')
    return false
  }
  if (row.wave > 0 && !row.is_pause_over) return row.wave_ended_at === null && row.pause_s === 0
  await store.openWave.run(trx, { ...keyOf(row), waveLeft: sizeOf(row) })
  return true
}

export async function stepOfCampaign(
  services: CampaignServices,
  seen: store.CampaignRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { db } = services
  if (seen.status === 'preparing') {
    await prepare(campaignKind, preparation, db, seen)
    return true
  }
  if (seen.status !== 'running' || seen.wave_left === 0) await trackAsked(services, seen, signal)
  return db.transaction(async (trx) => {
    if (!(await isActiveWorkspace(trx, seen.workspace_id))) return false
    const row = await store.statements.lock.first(trx, keyOf(seen))
    if (row?.status !== 'running') return false
    if (row.wave_left === 0) return changeWave(trx, row)
    await askSome(services, trx, row)
    return true
  })
}

export const createRotationCampaignTasks = (services: CampaignServices): Task[] =>
  createWorkTasks(campaignKind, stepOfCampaign, services)
