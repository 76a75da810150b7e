/**
 * Runs a campaign step by step, each under the lock of its row: collects devices; asks a wave of
 * them to rotate; tracks them; evaluates the finished wave; and after a pause starts the next. No
 * step changes a secret: only a device's own call creates one, and only its use invalidates the old
 * one.
 */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { recordAll } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { askToRotate } from '../bulk-jobs/secret-actions.ts'
import { nextSelected } from '../bulk-jobs/selected-devices.ts'
import { isActiveWorkspace, RECHECK_MS } from '../../team/active-workspaces/active-workspace.ts'
import { enqueueAdvance, originOfCampaign, recordCampaign } from './campaign-turn.ts'
import * as devices from './device-store.ts'
import type { CampaignDeviceStatus } from './schema.ts'
import * as store from './store.ts'

export type CampaignServices = Pick<Services, 'db' | 'feed' | 'clock'>

const AT_ONCE = 1_000
const RUN_MS = 5_000
/** Interval between checks of the devices. */
const POLL_MS = 5_000
const MAX_DEVICES = 10_000_000

async function end(
  trx: Db,
  row: store.CampaignRow,
  status: 'halted' | 'completed' | 'failed',
  failure: string | null = null,
): Promise<void> {
  const ended = await store.changeStatus(trx, row, status, failure)
  await recordCampaign(trx, originOfCampaign(row), `rotation_campaign.${status}`, ended)
}

async function gather(trx: Db, row: store.CampaignRow): Promise<void> {
  try {
    const { workspace_id, filter, expanded_to } = row
    const found = await nextSelected(trx, workspace_id, filter ?? '', expanded_to, AT_ONCE)
    if (row.total + found.ids.length > MAX_DEVICES)
      return await end(trx, row, 'failed', 'limit_reached')
    const added = await devices.insertDevices(trx, row, found.ids)
    await store.growCampaign(trx, row, added, found.next)
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'unavailable') throw error
    await end(trx, row, 'failed', error.code)
  }
}

/** Asks the next devices of the wave; deleted ones fail immediately. */
async function askSome({ feed }: CampaignServices, trx: Db, row: store.CampaignRow): Promise<void> {
  const { workspace_id: workspaceId, wave, wave_left } = row
  const found = await devices.lockDueDevices.rows(trx, {
    workspaceId: row.workspace_id,
    campaignId: row.id,
    limit: Math.min(AT_ONCE, wave_left),
  })
  const idsOf = (is: (device: devices.DueDevice) => boolean): string[] =>
    found.filter(is).map(({ id }) => id)
  const gone = idsOf(({ status }) => status === null)
  const over = idsOf(({ status }) => status === 'decommissioned')
  const live = found.filter(({ status }) => status !== null && status !== 'decommissioned')
  const asked = live.map(({ id }) => id)
  const origin = originOfCampaign(row)
  await devices.markAsked.run(trx, {
    workspaceId: row.workspace_id,
    campaignId: row.id,
    deviceIds: asked,
    wave,
  })
  await askToRotate({ feed }, trx, { workspaceId, origin }, asked)
  await devices.markFailed.run(trx, {
    workspaceId: row.workspace_id,
    campaignId: row.id,
    deviceIds: gone,
    wave,
    code: 'device_not_found',
  })
  await devices.markFailed.run(trx, {
    workspaceId: row.workspace_id,
    campaignId: row.id,
    deviceIds: over,
    wave,
    code: 'invalid_transition',
  })
  const rotation_campaign_id = formatId('cmp', row.id)
  await recordAll(
    trx,
    origin,
    live.map(({ id, device_key }) => ({
      workspaceId,
      action: 'device.rotation_asked',
      resource: { kind: 'device', id: formatId('dev', id) },
      subjectId: id,
      data: { device_id: formatId('dev', id), device_key, rotation_campaign_id },
    })),
  )
  const left = found.length === 0 ? 0 : wave_left - found.length
  const failed = gone.length + over.length
  await store.addCounts(
    trx,
    { ...row, wave_left: left },
    { due: -found.length, waiting: asked.length, failed },
  )
}

/** Checks all devices that were asked. */
export async function trackAsked(
  { db }: Pick<CampaignServices, 'db'>,
  seen: store.CampaignRow,
  signal: AbortSignal,
): Promise<void> {
  let after: string | null = null
  do {
    after = await db.transaction(async (trx): Promise<string | null> => {
      const row = await store.lockCampaign.first(trx, {
        workspaceId: seen.workspace_id,
        id: seen.id,
      })
      if (row === undefined || row.ended_at !== null) return null
      const tracked = await devices.trackDevices(trx, row, after, AT_ONCE)
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
  const { failed, ended } = await devices.outcomeOf(trx, row)
  return ended > 0 && failed / ended > row.max_failure_rate
}

/** Ends a wave and starts the next. @returns whether there is more to do now */
async function changeWave(trx: Db, row: store.CampaignRow): Promise<boolean> {
  if (row.wave > 0 && row.wave_ended_at === null) {
    if (
      await devices.isWaveOpen.any(trx, {
        workspaceId: row.workspace_id,
        campaignId: row.id,
        wave: row.wave,
        seconds: row.confirm_within_s,
      })
    )
      return false
    await store.closeWave.run(trx, { workspaceId: row.workspace_id, id: row.id })
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
  await store.openWave.run(trx, {
    workspaceId: row.workspace_id,
    id: row.id,
    waveLeft: sizeOf(row),
  })
  return true
}

/** @returns whether there is more to do now */
function step(services: CampaignServices, workspaceId: string, id: string): Promise<boolean> {
  return services.db.transaction(async (trx) => {
    if (!(await isActiveWorkspace(trx, workspaceId))) return false
    const row = await store.lockCampaign.first(trx, { workspaceId, id })
    if (row === undefined || row.ended_at !== null) return false
    if (row.status === 'preparing') {
      await gather(trx, row)
      return true
    }
    if (row.status !== 'running') return false
    if (row.wave_left === 0) return changeWave(trx, row)
    await askSome(services, trx, row)
    return true
  })
}

/** Advances a campaign as far as possible now, and schedules the next check. */
export async function advanceCampaign(
  services: CampaignServices,
  { workspaceId, campaignId }: { workspaceId: string; campaignId: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = services
  const deadline = performance.now() + RUN_MS
  const before = await store.findCampaign.first(db, { workspaceId, id: campaignId })
  if (before === undefined || before.ended_at !== null) return
  if (!(await isActiveWorkspace(db, workspaceId))) {
    return enqueueAdvance(db, before, clock.now() + RECHECK_MS)
  }
  if (before.status !== 'preparing') await trackAsked(services, before, signal)
  let goesOn = true
  while (goesOn && !signal.aborted && performance.now() < deadline) {
    goesOn = await step(services, workspaceId, campaignId)
  }
  const row = await store.findCampaign.first(db, { workspaceId, id: campaignId })
  if (row === undefined || row.ended_at !== null) return
  await enqueueAdvance(db, row, goesOn ? undefined : clock.now() + POLL_MS)
}
