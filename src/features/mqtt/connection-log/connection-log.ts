/** Reads the connection log for staff. */
import type { Context } from '../../../context.ts'
import { found } from '../../../platform/errors/errors.ts'
import { ConnectionAttempt } from '../../common/connection-attempt.ts'
import { timestamp } from '../../common/shapes.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { ConnectionLog, ListRefusals, Refusals } from './schema.ts'
import * as store from './store.ts'
import { rowView } from '../../common/row-view.ts'

const protocols: Readonly<Record<number, ConnectionAttempt['protocol']>> = {
  3: '3.1',
  4: '3.1.1',
  5: '5',
}

export const attemptView = rowView<store.AttemptRow>()(ConnectionAttempt, {
  accepted: (row) => row.refusal === null,
  reason: (row) => row.refusal,
  protocol: (row) => protocols[row.protocol_version] ?? null,
  duration_s: (row) =>
    row.ended_at === null ? null : Math.max(0, Math.round((row.ended_at - row.at) / 1000)),
})

export async function readConnectionLog(
  { db, workspaceId }: Context,
  kind: 'device' | 'principal',
  principalUuid: string,
): Promise<ConnectionLog> {
  const rows = found(
    await store.lastAttempts(db, kind, workspaceId, principalUuid),
    kind === 'device' ? 'device_not_found' : 'mqtt_principal_not_found',
  )
  return { items: rows.map(attemptView) }
}

const MAX_COUNTED = 10_000
const SHOWN_CLIENTS = 5
const DAY_HOURS = 24

export async function listRefusals(
  { db, workspaceId }: Context,
  { hours = DAY_HOURS }: ListRefusals,
): Promise<Refusals> {
  const limits = { limit: MAX_COUNTED, shown: SHOWN_CLIENTS }
  const rows = await store.refusedClients.rows(db, { workspaceId, hours, ...limits })
  const items = new Map<string, Refusals['items'][number]>()
  for (const row of rows) {
    const { reason, clients, total } = row
    const last_at = timestamp(row.last_at)
    const item = items.get(reason) ?? { reason, clients, attempts: total, last_at, latest: [] }
    items.set(reason, item)
    item.latest.push({
      principal_id: formatId(row.kind === 'device' ? 'dev' : 'mqp', row.principal_id),
      attempts: row.attempts,
      last_at,
      client_id: row.client_id,
      address: row.address,
    })
  }
  return { hours, items: [...items.values()] }
}
