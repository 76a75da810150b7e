/**
 * Making a receipt in the transaction of the change that revokes. It costs one statement; so it is
 * made for what is done to one device, principal or template, and once for a whole job.
 */
import type { Context } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import type { AuditAction } from '../../events/event.ts'
import { formatId, newUuid } from '../../lib/ids.ts'
import { OLDER } from './receipt-reasons.ts'
import {
  findLoginsOfSession,
  findPhoneLogins,
  insertOlderEnd,
  insertReceipt,
  type LoginRef,
  type Narrowed,
  type OlderEnd,
} from './store.ts'

export type ReceiptServices = Pick<Context, 'feed' | 'mqttBrokers'>

export interface Revocation {
  workspaceId: string
  /**
   * `expired`: its time was up, which nobody did. `admitted_late`: a broker began a session with
   * what had just ended.
   */
  reason: AuditAction | 'asked' | 'expired' | 'admitted_late'
  /** As callers see it: a device, a principal or a template; null: the whole workspace. */
  subject: string | null
  narrowed?: Narrowed | undefined
}

/**
 * To be called after the change itself was announced: whoever hears of the receipt has then heard
 * of the change. @returns the receipt's UUID.
 */
export async function openReceipt(
  { feed, mqttBrokers }: ReceiptServices,
  trx: Db,
  revocation: Revocation,
): Promise<string> {
  const brokers = mqttBrokers().flatMap(({ kind, name }) => (kind === 'embedded' ? [] : [name]))
  return openReceiptAt(brokers, feed, trx, revocation)
}

/** The same for some of the brokers elsewhere. */
export async function openReceiptAt(
  brokers: readonly string[],
  feed: ReceiptServices['feed'],
  trx: Db,
  revocation: Revocation,
): Promise<string> {
  const id = newUuid()
  await insertReceipt(trx, { ...revocation, id, brokers })
  await feed.announce(trx, 'mqtt-receipt', id)
  return id
}

interface NewerSecretUse extends Pick<OlderEnd, 'workspaceId' | 'subject' | 'brokers'> {
  /** Where the newer secret was shown, if to a broker elsewhere, and by which session. */
  shownAt: { broker: string; clientId: string } | undefined
}

/**
 * Has brokers elsewhere end the sessions of a principal that began with an older secret. Nobody
 * waits for it, and processes have no part in it.
 */
export async function endOlderSessions(
  trx: Db,
  { brokers, shownAt, ...end }: NewerSecretUse,
): Promise<void> {
  // On another broker a session of the same client id may have begun with the older secret.
  const ends = [
    { brokers: brokers.filter((name) => name === shownAt?.broker), clientId: shownAt?.clientId },
    { brokers: brokers.filter((name) => name !== shownAt?.broker), clientId: undefined },
  ]
  for (const each of ends) {
    if (each.brokers.length === 0) continue
    await insertOlderEnd(trx, { ...end, ...each, id: newUuid(), reason: OLDER })
  }
}

/** The same for a request: its answer links to the receipt. */
export async function issueReceipt(
  context: ReceiptServices & {
    workspaceId: string
    request: Pick<Context['request'], 'links'>
  },
  trx: Db,
  reason: AuditAction,
  subject: string | null,
  narrowed?: Narrowed,
): Promise<void> {
  const { workspaceId, request } = context
  const id = await openReceipt(context, trx, { workspaceId, reason, subject, narrowed })
  const path = `/workspaces/${formatId('ws', workspaceId)}/mqtt/receipts/${formatId('rcp', id)}`
  request.links.set('revocation-receipt', path)
}

export const hasExternalBrokers = ({
  mqttBrokers,
}: Pick<ReceiptServices, 'mqttBrokers'>): boolean =>
  mqttBrokers().some(({ kind }) => kind !== 'embedded')

/** Whose MQTT logins: of an identity in a workspace, of one session of it, or just these. */
type Phones =
  | { moidId: string; workspaceId: string }
  | { sessionId: string }
  | { logins: readonly LoginRef[] }

async function loginsOf(trx: Db, phones: Phones): Promise<readonly LoginRef[]> {
  if ('logins' in phones) return phones.logins
  if ('sessionId' in phones) return findLoginsOfSession(trx, phones.sessionId)
  return findPhoneLogins(trx, phones.moidId, phones.workspaceId)
}

/**
 * Has external brokers end the sessions of phones that hold less than before: they decided what
 * these may when they connected. On the embedded broker live sessions follow by themselves.
 */
export async function revokePhoneSessions(
  services: ReceiptServices,
  trx: Db,
  phones: Phones,
  reason: Revocation['reason'],
): Promise<void> {
  if (!hasExternalBrokers(services)) return
  for (const { workspace_id: workspaceId, id } of await loginsOf(trx, phones)) {
    await openReceipt(services, trx, { workspaceId, reason, subject: formatId('mqm', id) })
  }
}
