/** Status transitions of a principal, active ⇄ suspended, and ending its sessions. */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { lockPrincipal } from './mqtt-principal.ts'
import { viewOf } from './principal-view.ts'
import * as store from './store.ts'
import { issueReceipt } from '../revocation/receipt-issue.ts'
import type { Revised } from '../../common/results.ts'
import type { MqttPrincipalView } from './schema.ts'

/** The time as the sessions of brokers count it. */
export const microseconds = ({ clock }: Pick<Context, 'clock'>): number => clock.now() * 1_000

interface Transition {
  from: store.PrincipalRow['status']
  to: store.PrincipalRow['status']
  event: 'mqtt_principal.suspended' | 'mqtt_principal.resumed'
  write: (trx: Db) => Promise<store.PrincipalRow>
}

function transit(
  context: Context,
  principalId: string,
  { from, to, event, write }: Transition,
): Promise<Revised<MqttPrincipalView>> {
  const { db, feed, clock, workspaceId } = context
  return db.transaction(async (trx) => {
    const { status } = await lockPrincipal(trx, context, principalId)
    if (status !== from) {
      throw new Failure('invalid_transition', {
        detail: `The MQTT principal is ${status}; from this state it cannot become ${to}.`,
      })
    }
    const row = await write(trx)
    await feed.announce(trx, 'mqtt-principal', principalId)
    const view = viewOf(row, clock.now())
    if (to === 'suspended') await issueReceipt(context, trx, event, view.id)
    await record(trx, originOf(context), {
      workspaceId,
      action: event,
      resource: { kind: 'mqtt_principal', id: view.id },
      data: { principal_id: view.id, name: view.name },
      detail: { before: { status: from }, after: { status: to } },
    })
    return { view, revision: row.revision }
  })
}

/** Live sessions end, and no password is accepted until it is resumed. */
export const suspendMqttPrincipal = (
  context: Context,
  principalId: string,
): Promise<Revised<MqttPrincipalView>> =>
  transit(context, principalId, {
    from: 'active',
    to: 'suspended',
    event: 'mqtt_principal.suspended',
    write: (trx) =>
      store.suspendPrincipal.one(trx, {
        workspaceId: context.workspaceId,
        id: principalId,
        sessionsFrom: microseconds(context),
      }),
  })

export const resumeMqttPrincipal = (
  context: Context,
  principalId: string,
): Promise<Revised<MqttPrincipalView>> =>
  transit(context, principalId, {
    from: 'suspended',
    to: 'active',
    event: 'mqtt_principal.resumed',
    write: (trx) =>
      store.resumePrincipal.one(trx, { workspaceId: context.workspaceId, id: principalId }),
  })

/** Ends live sessions within a second. The principal may reconnect at once. */
export async function disconnectMqttPrincipal(
  context: Context,
  principalId: string,
): Promise<void> {
  const { db, feed, workspaceId } = context
  await db.transaction(async (trx) => {
    const { name } = await lockPrincipal(trx, context, principalId)
    await store.disconnectSessions.run(trx, {
      workspaceId,
      id: principalId,
      sessionsFrom: microseconds(context),
    })
    await feed.announce(trx, 'mqtt-principal', principalId)
    const id = formatId('mqp', principalId)
    await issueReceipt(context, trx, 'mqtt_principal.sessions_cut', id)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'mqtt_principal.sessions_cut',
      resource: { kind: 'mqtt_principal', id },
      data: { principal_id: id, name },
    })
  })
}
