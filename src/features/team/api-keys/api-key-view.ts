/** The public view of an API key. */
import { formatId } from '../../../platform/lib/ids.ts'
import { rowView } from '../../common/row-view.ts'
import { ApiKeyView } from './schema.ts'
import type { ApiKeyRow } from './store.ts'

function statusOf(row: ApiKeyRow, now: number): ApiKeyView['status'] {
  if (row.revoked_at !== null) return 'revoked'
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active'
}

const ofProvisionKey = <T>(row: ApiKeyRow, value: T): T | null =>
  row.kind === 'provision' ? value : null

/** `now` is in milliseconds since the epoch. */
export const viewOf = rowView<ApiKeyRow, [now: number]>()(ApiKeyView, {
  key_kind: (row) => row.kind,
  key_hint: (row) => row.hint,
  status: statusOf,
  template_ids: (row) => row.template_ids?.map((id) => formatId('tpl', id)) ?? null,
  actions: (row) => ofProvisionKey(row, row.actions),
  devices_registered: (row) => (row.device_quota === null ? null : row.registered),
  on_known_device: (row) => ofProvisionKey(row, row.on_known_device),
  approval: (row) => ofProvisionKey(row, row.approval),
})
