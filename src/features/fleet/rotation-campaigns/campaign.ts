/**
 * The rules of rotation campaigns: staff and backends ask a fleet, wave by wave, to take new
 * secrets; they follow, pause and resume it.
 */
import { type Context, originOf } from '../../../context.ts'
import { Failure, found, invalid } from '../../../platform/errors/errors.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { countOneAtATime } from '../../team/active-workspaces/active-workspace.ts'
import { readSelection } from '../device-work/selected-devices.ts'
import { keyOf, originParams } from '../../common/row-key.ts'
import { beginWork, enqueueRun, recordWork } from '../device-work/work.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { trackAsked } from './campaign-run.ts'
import { campaignKind } from './campaign-kind.ts'
import { deviceViewOf, viewOf } from './campaign-view.ts'
import * as devices from './device-store.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import type { Paged } from '../../common/results.ts'

function requireWave({ wave_size, wave_percent }: schema.CreateRotationCampaign): void {
  if ((wave_size === undefined) === (wave_percent === undefined)) {
    throw invalid('/wave_size', 'or wave_percent must be given, and not both')
  }
}

export async function createCampaign(
  context: Context,
  input: schema.CreateRotationCampaign,
): Promise<schema.RotationCampaignView> {
  const { db, workspaceId } = context
  const { wave_size = null, wave_percent = null } = input
  requireWave(input)
  const { deviceIds = [], filter } = await readSelection(context, input)
  const campaign = {
    workspaceId,
    id: newUuid(),
    filter,
    status: filter === null ? 'running' : 'preparing',
    waveSize: wave_size,
    wavePercent: wave_percent,
    pauseS: input.pause_s ?? 300,
    confirmWithinS: input.confirm_within_s ?? 3_600,
    maxFailureRate: input.max_failure_rate ?? 0.05,
    total: deviceIds.length,
  }
  return db.transaction(async (trx) => {
    await countOneAtATime(trx, workspaceId)
    const insert = (origin: Origin) =>
      store.insertCampaign.one(trx, { ...campaign, ...originParams(origin) })
    return viewOf(await beginWork(campaignKind, context, trx, insert, deviceIds))
  })
}

export const listCampaigns = (context: Context, query: schema.ListRotationCampaigns) =>
  listFiltered(context, query, {
    name: 'rotation-campaigns',
    fields: schema.campaignFields,
    pageOf: store.pageOfCampaigns,
    view: viewOf,
  })

export async function getCampaign(
  { db, workspaceId }: Context,
  id: string,
): Promise<schema.RotationCampaignView> {
  const row = await store.statements.find.first(db, { workspaceId, id })
  return viewOf(found(row, 'rotation_campaign_not_found'))
}

export async function listCampaignDevices(
  context: Context,
  campaignId: string,
  query: schema.ListCampaignDevices,
): Promise<Paged<schema.CampaignDeviceView>> {
  const campaign = await getCampaign(context, campaignId)
  return listFiltered(context, query, {
    name: `rotation-campaign ${campaignId}`,
    fields: schema.campaignDeviceFields,
    conditions: { status: query.status },
    pageOf: devices.pageOfDevices,
    whole: campaignId,
    view: (row) => deviceViewOf(row, campaign),
  })
}

/** @param from states that allow the transition; in state `to` the call succeeds again */
function turn(
  context: Context,
  campaignId: string,
  from: readonly schema.CampaignStatus[],
  to: 'paused' | 'running' | 'cancelled',
  notified: EventType,
): Promise<schema.RotationCampaignView> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    const present = found(
      await store.statements.lock.first(trx, { workspaceId, id: campaignId }),
      'rotation_campaign_not_found',
    )
    if (present.status === to) return viewOf(present)
    if (!from.includes(present.status)) {
      throw new Failure('invalid_transition', {
        detail: `The campaign is ${present.status}; from this state it cannot become ${to}.`,
      })
    }
    const row = await store.setStatus.one(trx, { ...keyOf(present), status: to, failure: null })
    await recordWork(campaignKind, trx, originOf(context), notified, row)
    await enqueueRun(campaignKind, trx, row)
    return viewOf(row)
  })
}

/** No further wave starts; the current one is tracked to its end. */
export const pauseCampaign = (context: Context, id: string) =>
  turn(context, id, ['running'], 'paused', 'rotation_campaign.paused')

/** Also after a halt: the campaign is then evaluated by later waves only. */
export const resumeCampaign = (context: Context, id: string) =>
  turn(context, id, ['paused', 'halted'], 'running', 'rotation_campaign.resumed')

/** A fleet too large to be checked in this time is cancelled with earlier counts. */
const LAST_CHECK_MS = 2_000

/**
 * Devices that were asked may still rotate, and lose nothing if they do not. They are checked once
 * more, because the recorded counts are final.
 */
export async function cancelCampaign(
  context: Context,
  id: string,
): Promise<schema.RotationCampaignView> {
  const key = { workspaceId: context.workspaceId, id }
  const present = await store.statements.find.first(context.db, key)
  if (present !== undefined && present.ended_at === null) {
    await trackAsked(context, present, AbortSignal.timeout(LAST_CHECK_MS))
  }
  const from = ['preparing', 'running', 'paused', 'halted'] as const
  return turn(context, id, from, 'cancelled', 'rotation_campaign.cancelled')
}
