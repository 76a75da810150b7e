/** What a device can read about itself, identified by its token alone. */
import type { DeviceCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { effectiveConfig } from '../config/config.ts'
import { timestampOrNull } from '../../common/shapes.ts'
import type { OwnConfig, OwnDevice } from './schema.ts'
import * as store from './store.ts'

export async function getOwnDevice({ db, caller }: Context<DeviceCaller>): Promise<OwnDevice> {
  const row = await store.findDevice(db, caller.workspaceId, caller.deviceId)
  // Deleted since its token was checked.
  if (row === undefined) throw new Failure('credential_rejected')
  return {
    device_id: formatId('dev', row.id),
    device_key: row.device_key,
    workspace_id: formatId('ws', row.workspace_id),
    workspace_slug: row.slug,
    name: row.name,
    template_id: row.template_id === null ? null : formatId('tpl', row.template_id),
    status: row.status,
    approval: row.approval,
    claimed: row.claimed_at !== null,
    claimed_at: timestampOrNull(row.claimed_at),
    rotation_due: row.rotation_due,
    tags: row.tags,
  }
}

export async function getOwnConfig({ db, caller }: Context<DeviceCaller>): Promise<OwnConfig> {
  const own = await effectiveConfig(db, caller.workspaceId, caller.deviceId)
  if (own === undefined) throw new Failure('credential_rejected')
  return own
}
