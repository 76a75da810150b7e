/**
 * The state of a device: the latest JSON published on its state topic or written through the API. A
 * write through the API is stored but not published; use commands to notify devices.
 */
import { type Context, originOf } from '../../../context.ts'
import { requireRevision, Failure, found, invalid } from '../../../platform/errors/errors.ts'
import { changedFields, deviceChange, record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { isJsonObject } from '../../../platform/lib/json.ts'
import { mergePatch } from '../../../platform/lib/merge-patch.ts'
import { timestamp } from '../../common/shapes.ts'
import type { StateView } from './schema.ts'
import { MAX_STATE_BYTES, type ReportedStates } from '../../mqtt/sessions/reported-states.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'

const revisedOf = (deviceId: string, row: store.StateRow): Revised<StateView> => ({
  view: {
    device_id: formatId('dev', deviceId),
    state: row.state,
    version: row.version,
    reported_at: timestamp(row.reported_at),
  },
  revision: row.revision,
})

export interface StateServices {
  /** The states that devices have published, including those not written yet. */
  reportedStates: Pick<ReportedStates, 'settle' | 'nextVersion'>
}

export type StateContext = Context & StateServices

/** Undefined if the device has none. @throws Failure device_not_found */
export async function findState(
  context: StateContext,
  deviceId: string,
): Promise<Revised<StateView> | undefined> {
  await context.reportedStates.settle(deviceId)
  const row = found(
    await store.findState(context.points, context.workspaceId, deviceId),
    'device_not_found',
  )
  return row === null ? undefined : revisedOf(deviceId, row)
}

export const getState = async (
  context: StateContext,
  deviceId: string,
): Promise<Revised<StateView>> => found(await findState(context, deviceId), 'state_not_found')

/** For larger states, the audit log only names the changed members. */
const MAX_NOTIFIED_BYTES = 16_384

/** Maps members to null where the other object lacks them. */
const missing = (of: object): object =>
  Object.fromEntries(Object.keys(of).map((name) => [name, null]))

/** The change of the state; member by member if both are objects. */
function changeOf(before: unknown, after: unknown): Record<string, unknown> {
  const changed =
    isJsonObject(before) && isJsonObject(after)
      ? changedFields<object>({ ...missing(after), ...before }, { ...missing(before), ...after })
      : { before: { state: before }, after: { state: after } }
  const bytes = Buffer.byteLength(JSON.stringify(changed))
  return bytes > MAX_NOTIFIED_BYTES ? { changed: Object.keys(changed.after) } : changed
}

/** @param next computes the new state from the current one, null if there is none */
async function writeState(
  context: StateContext,
  deviceId: string,
  next: (present: store.StateRow | null) => unknown,
): Promise<Revised<StateView>> {
  const { db, workspaceId, request } = context
  await context.reportedStates.settle(deviceId)
  return db.transaction(async (trx) => {
    const present = found(await store.lockState(trx, workspaceId, deviceId), 'device_not_found')
    const state = next(present)
    requireRevision(present?.revision ?? 0, request.ifMatch)
    const bytes = Buffer.byteLength(JSON.stringify(state))
    if (bytes > MAX_STATE_BYTES) {
      throw invalid('/state', `takes ${bytes} bytes as JSON; ${MAX_STATE_BYTES} is the most`)
    }
    const version = context.reportedStates.nextVersion()
    const written = { workspaceId, deviceId, state: JSON.stringify(state), version }
    const row = await store.writeState.one(trx, written)
    const revised = revisedOf(deviceId, row)
    const data = { version: row.version }
    const detail = changeOf(present?.state ?? null, row.state)
    const change = deviceChange('device_state.written', workspaceId, deviceId, data, detail)
    await record(trx, originOf(context), change)
    return revised
  })
}

export const replaceState = (
  context: StateContext,
  deviceId: string,
  state: unknown,
): Promise<Revised<StateView>> => writeState(context, deviceId, () => state)

/** Applies a merge patch (RFC 7396). @throws Failure state_not_found if there is no state */
export const patchState = (
  context: StateContext,
  deviceId: string,
  patch: unknown,
): Promise<Revised<StateView>> =>
  writeState(context, deviceId, (present) => {
    if (present === null) throw new Failure('state_not_found')
    return mergePatch(present.state, patch)
  })
