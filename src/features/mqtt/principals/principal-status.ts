/** Status transitions of a principal, active ⇄ suspended, and ending its sessions. */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { changePrincipal, type PrincipalChange } from './principal-change.ts'
import { viewOf } from './principal-view.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'
import type { MqttPrincipalView } from './schema.ts'

/** The time as the sessions of brokers count it. */
export const microseconds = ({ clock }: Pick<Context, 'clock'>): number => clock.now() * 1_000

interface Transition extends Pick<PrincipalChange<void>, 'action' | 'reaches'> {
  from: store.PrincipalRow['status']
  to: store.PrincipalRow['status']
  write: (trx: Db) => Promise<store.PrincipalRow>
}

const transit = (
  context: Context,
  principalId: string,
  { from, to, write, ...change }: Transition,
): Promise<Revised<MqttPrincipalView>> =>
  changePrincipal(context, principalId, {
    ...change,
    detail: { before: { status: from }, after: { status: to } },
    async write(trx, { status }) {
      if (status !== from) {
        throw new Failure('invalid_transition', {
          detail: `The MQTT principal is ${status}; from this state it cannot become ${to}.`,
        })
      }
      const row = await write(trx)
      return { view: viewOf(row, context.clock.now()), revision: row.revision }
    },
  })

/** Live sessions end, and no password is accepted until it is resumed. */
export const suspendMqttPrincipal = (
  context: Context,
  id: string,
): Promise<Revised<MqttPrincipalView>> =>
  transit(context, id, {
    from: 'active',
    to: 'suspended',
    action: 'mqtt_principal.suspended',
    reaches: 'sessions',
    write(trx) {
      const sessionsFrom = microseconds(context)
      const { workspaceId } = context
      return store.suspendPrincipal.one(trx, { workspaceId, id, sessionsFrom })
    },
  })

export const resumeMqttPrincipal = (
  context: Context,
  id: string,
): Promise<Revised<MqttPrincipalView>> =>
  transit(context, id, {
    from: 'suspended',
    to: 'active',
    action: 'mqtt_principal.resumed',
    reaches: 'processes',
    write: (trx) => store.resumePrincipal.one(trx, { workspaceId: context.workspaceId, id }),
  })

/** Ends live sessions, in whichever process. The principal may reconnect at once. */
export const disconnectMqttPrincipal = (context: Context, id: string): Promise<void> =>
  changePrincipal(context, id, {
    action: 'mqtt_principal.sessions_cut',
    reaches: 'sessions',
    write(trx) {
      const sessionsFrom = microseconds(context)
      const { workspaceId } = context
      return store.disconnectSessions.run(trx, { workspaceId, id, sessionsFrom })
    },
  })
