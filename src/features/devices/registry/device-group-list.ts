/** Lists the devices of a group of either kind. */
import type { KnownCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { getDeviceGroup } from '../groups/device-group.ts'
import { listDevices } from './device.ts'
import type { DeviceView } from './schema.ts'

/** @throws Failure device_group_not_found */
export async function listGroupDevices(
  context: Context<KnownCaller>,
  groupId: string,
  page: { limit?: number; cursor?: string },
): Promise<{ items: DeviceView[]; next_cursor: string | null }> {
  await getDeviceGroup(context, groupId)
  return listDevices(context, { ...page, filter: `group = ${formatId('grp', groupId)}` })
}
