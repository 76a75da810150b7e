/** Whether a device must rotate its credentials, as it learns itself. */
import type { Db } from '../../../platform/database/connect.ts'
import * as store from './store.ts'

/** @returns undefined if there is no such device */
export const isRotationDue = async (
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<boolean | undefined> =>
  (await store.findDevice.first(db, { workspaceId, deviceId }))?.rotation_due
