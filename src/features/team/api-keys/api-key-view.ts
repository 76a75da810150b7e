/** The public view of an API key. */
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { ApiKeyView } from './schema.ts'
import type { ApiKeyRow } from './store.ts'

function statusOf(row: ApiKeyRow, now: number): ApiKeyView['status'] {
  if (row.revoked_at !== null) return 'revoked'
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active'
}

/** @param now milliseconds since the epoch. */
export function viewOf(row: ApiKeyRow, now: number): ApiKeyView {
  const provision = row.kind === 'provision'
  return {
    id: formatId('key', row.id),
    workspace_id: formatId('ws', row.workspace_id),
    key_kind: row.kind,
    name: row.name,
    key_hint: row.hint,
    status: statusOf(row, now),
    template_ids: row.template_ids?.map((id) => formatId('tpl', id)) ?? null,
    actions: provision ? row.actions : null,
    device_quota: row.device_quota,
    devices_registered: row.device_quota === null ? null : row.registered,
    allowed_cidrs: row.allowed_cidrs,
    rate_per_min: row.rate_per_min,
    on_known_device: provision ? row.on_known_device : null,
    approval: provision ? row.approval : null,
    created_by: row.created_by,
    created_at: timestamp(row.created_at),
    expires_at: timestampOrNull(row.expires_at),
    revoked_at: timestampOrNull(row.revoked_at),
    last_used_at: timestampOrNull(row.last_used_at),
    last_used_ip: row.last_used_ip,
  }
}
