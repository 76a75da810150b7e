/** Whether a mobile identity holds a device of a workspace, for rules of other slices. */
import type { MoidCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { holdsDevice } from './store.ts'

/** From the session if that is locked to the workspace, else by one read. */
export const holdsDeviceIn = async (
  { db, caller }: Pick<Context<MoidCaller>, 'db' | 'caller'>,
  workspaceId: string,
): Promise<boolean> =>
  caller.workspaceId === workspaceId
    ? caller.holdsDevice
    : caller.holdsDevice && holdsDevice(db, caller.moidId, workspaceId)
