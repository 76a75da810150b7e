/**
 * Creates receipts in the transaction of a revocation. Since each costs a statement, there is one
 * per change of a device, principal or template, and one per job.
 */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { AuditAction } from '../../../platform/record/event.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { OLDER } from './receipt-reasons.ts'
import type { Narrowed } from './schema.ts'
import * as store from './store.ts'

export type ReceiptServices = Pick<Context, 'feed' | 'mqttBrokers'>

export interface Revocation {
  workspaceId: string
  /**
   * `expired`: its time was up, without an actor. `admitted_late`: a broker started a session with
   * a right that had just ended.
   */
  reason: AuditAction | 'asked' | 'expired' | 'admitted_late'
  /** Public id of a device, principal or template; null: the whole workspace. */
  subject: string | null
  narrowed?: Narrowed | undefined
}

const externalOf = ({ mqttBrokers }: Pick<ReceiptServices, 'mqttBrokers'>): string[] =>
  mqttBrokers().flatMap(({ kind, name }) => (kind === 'embedded' ? [] : [name]))

/**
 * Call after announcing the change itself, so that processes receive the change first. @returns the
 * receipt's UUID
 */
export const openReceipt = (
  services: ReceiptServices,
  trx: Db,
  revocation: Revocation,
): Promise<string> => openReceiptAt(externalOf(services), services.feed, trx, revocation)

/** The same for some external brokers only. */
export async function openReceiptAt(
  brokers: readonly string[],
  feed: ReceiptServices['feed'],
  trx: Db,
  { narrowed: lost, ...revocation }: Revocation,
): Promise<string> {
  const id = newUuid()
  const narrowed = lost === undefined ? null : JSON.stringify(lost)
  await store.insertReceipt.run(trx, { ...revocation, id, brokers, narrowed })
  await feed.announce(trx, 'mqtt-receipt', id)
  return id
}

interface NewerSecretUse {
  workspaceId: string
  subject: string
  brokers: readonly string[]
  /** Where the newer secret was used, if on an external broker, and in which session. */
  presentedAt: { broker: string; clientId: string } | undefined
}

/**
 * Ends a principal's sessions on external brokers that started with an older secret. Nobody waits
 * for it, and processes are not involved.
 */
export async function endOlderSessions(
  trx: Db,
  { brokers, presentedAt, ...end }: NewerSecretUse,
): Promise<void> {
  const { broker, clientId = '' } = presentedAt ?? {}
  const ends = [
    // A client id that the database cannot store belongs to nobody else.
    { isThere: true, clientId: clientId.includes('\u0000') ? null : clientId },
    // On another broker, a session with the same client id may have started with the older secret.
    { isThere: false, clientId: null },
  ]
  for (const { isThere, ...session } of ends) {
    const names = brokers.filter((name) => (name === broker) === isThere)
    if (names.length === 0) continue
    const ended = { ...end, ...session, id: newUuid(), reason: OLDER, brokers: names }
    await store.insertOlderEnd.run(trx, ended)
  }
}

type Linking = ReceiptServices & {
  workspaceId: string
  request: Pick<Context['request'], 'links'>
}

/** The same for a request: its response links to the receipt. @returns the receipt's UUID */
export async function issueReceiptAt(
  brokers: readonly string[],
  { workspaceId, request, feed }: Pick<Linking, 'workspaceId' | 'request' | 'feed'>,
  trx: Db,
  revocation: Omit<Revocation, 'workspaceId'>,
): Promise<string> {
  const id = await openReceiptAt(brokers, feed, trx, { workspaceId, ...revocation })
  const path = `/workspaces/${formatId('ws', workspaceId)}/mqtt/receipts/${formatId('rcp', id)}`
  request.links.set('revocation-receipt', path)
  return id
}

/** The same on all brokers. */
export async function issueReceipt(
  context: Linking,
  trx: Db,
  reason: AuditAction,
  subject: string | null,
  narrowed?: Narrowed,
): Promise<void> {
  await issueReceiptAt(externalOf(context), context, trx, { reason, subject, narrowed })
}

export const hasExternalBrokers = ({
  mqttBrokers,
}: Pick<ReceiptServices, 'mqttBrokers'>): boolean =>
  mqttBrokers().some(({ kind }) => kind !== 'embedded')

/** Which MQTT logins: of an identity in a workspace, of one of its sessions, or the listed ones. */
type Phones =
  | { moidId: string; workspaceId: string }
  | { sessionId: string }
  | { logins: readonly store.LoginRef[] }

async function loginsOf(trx: Db, phones: Phones): Promise<readonly store.LoginRef[]> {
  if ('logins' in phones) return phones.logins
  if ('sessionId' in phones)
    return store.findLoginsOfSession.rows(trx, { sessionId: phones.sessionId })
  return store.findPhoneLogins.rows(trx, { moidId: phones.moidId, workspaceId: phones.workspaceId })
}

/**
 * Ends sessions of phones that lost rights on external brokers, which decide at CONNECT. On the
 * embedded broker, live sessions adapt by themselves.
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
