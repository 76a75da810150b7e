/** Periodic work of each process: flushing batches, expiring rows, appending to audit chains. */
import type { Services } from '../context.ts'
import type { Db } from '../platform/database/connect.ts'
import { analyzeGrownTables } from '../platform/database/statistics.ts'
import { appendCounts } from '../platform/record/counting.ts'
import { deleteOldSignIns } from '../features/identity/sign-in/login.ts'
import { deleteOldAttempts } from '../features/team/single-sign-on/attempt.ts'
import { expireClaims } from '../features/mobile/claims/claim-expiry.ts'
import { purgeCustomFields } from '../features/devices/custom-fields/custom-field.ts'
import { expireCommands, deleteOldCommands } from '../features/devices/commands/command-end.ts'
import { expireStoredResponses } from '../platform/idempotency/stored-response.ts'
import { removeMqttLogins } from '../features/mobile/mqtt/mqtt-login.ts'
import { expireMoidSessions } from '../features/mobile/identities/session.ts'
import { deleteOldMessages } from '../features/mqtt/messages/message-relay.ts'
import { createExpiryCheck } from '../features/mqtt/principals/principal-expiry.ts'
import { deleteOldReceipts, type ReceiptWork } from '../features/mqtt/revocation/receipt-work.ts'
import type { Heartbeat } from '../features/mqtt/sessions/heartbeat.ts'
import { expireRegistrationResponses } from '../features/fleet/provisioning/store.ts'
import type { DeliveryEngine } from '../features/events/webhooks/delivery-engine.ts'
import type { AuditLogSize } from '../features/audit/log/audit-log-size.ts'
import type { Backlog } from '../platform/jobs/backlog.ts'
import type { Queue } from '../platform/jobs/queue.ts'
import { createTimers } from '../platform/jobs/timers.ts'
import type { Mqtt } from './mqtt.ts'
import { createIdleGc } from './idle-gc.ts'

interface Housekept {
  /** Whether it also does what one process does for all, besides what each does for itself. */
  isForAll: boolean
  db: Db
  services: Pick<Services, 'feed' | 'clock' | 'mqttBrokers'>
  mqtt: Mqtt
  receipts: ReceiptWork
  heartbeat: Heartbeat
  deliveries: DeliveryEngine
  queue: Queue
  backlog: Backlog
  auditSize: AuditLogSize
  chainAudit: (max: number) => Promise<void>
  flushRefusals: () => Promise<void>
  flushKeyUses: () => Promise<void>
  closeSerials: () => Promise<void>
  certificate: { refresh: () => Promise<void> }
  brokers: { refresh: () => Promise<void> }
  rootKeys: { refresh: () => Promise<void> }
  warn: (message: string, error: unknown) => void
}

/**
 * Audit entries appended per run; the task then pauses for as long as it ran, to leave the machine
 * to the bulk load.
 */
const APPENDED_AT_ONCE = 10_000

export interface Housekeeping {
  start(): void
  /** Stops repeating, then flushes what is pending. */
  stop(): Promise<void>
}

/** Writing connection state takes at most a ninth of one database connection's time. */
const REST = 8

export function createHousekeeping(parts: Housekept): Housekeeping {
  const { db, receipts, heartbeat, queue, warn } = parts
  const { feed } = parts.services
  const services = { ...parts.services, db }
  const { presence, states, connections, attempts, contacts, commands, configs, bridges } =
    parts.mqtt
  const { external, recheck, recorder, usage } = parts.mqtt
  const afterDelivery = (write: () => Promise<void>) => (): Promise<void> => {
    recorder.deliver()
    return write()
  }
  const writePresence = afterDelivery(() => presence.flush())
  const writeConnections = afterDelivery(() => connections.flush())
  const writeAttempts = afterDelivery(() => attempts.flush())
  const writeContacts = afterDelivery(() => contacts.flush())
  const timers = createTimers(warn)
  const endExpired = createExpiryCheck(services)
  return {
    start() {
      timers.every(250, 'writing presence', writePresence, REST)
      timers.every(250, 'writing connections', writeConnections, REST)
      timers.every(1_000, 'writing connection attempts', writeAttempts, REST)
      timers.every(1_000, 'writing connections of principals', writeContacts)
      timers.every(1_000, 'writing refusals', parts.flushRefusals)
      timers.every(5_000, 'reading the certificate', () => parts.certificate.refresh())
      timers.every(5_000, 'reading the brokers file', () => parts.brokers.refresh())
      timers.every(5_000, 'reading the root keys', () => parts.rootKeys.refresh())
      timers.every(5_000, 'releasing memory', createIdleGc())
      timers.every(5_000, 'the heartbeat', () => heartbeat.beat())
      timers.every(5_000, 'writing key uses', parts.flushKeyUses)
      timers.every(5_000, 'writing usage', () => usage.flush())
      timers.every(30_000, 'writing last contacts', () => presence.flushContacts())
      timers.every(1_000, 'checking sessions that brokers opened late', () => recheck.check())
      timers.every(1_000, 'updating receipts', () => receipts.check())
      timers.every(5_000, 'synchronizing passwords with brokers', () => external.pushPasswords())
      if (!parts.isForAll) return
      timers.every(250, 'dispatching webhooks', () => parts.deliveries.poll(), REST)
      timers.every(15_000, 'measuring webhooks', () => parts.deliveries.measure(), REST)
      timers.every(15_000, 'measuring the queue', () => parts.backlog.measure())
      timers.every(15_000, 'measuring the audit log', () => parts.auditSize.measure())
      timers.every(500, 'appending to the audit chain', () => parts.chainAudit(APPENDED_AT_ONCE), 1)
      timers.every(5_000, 'appending counts to the audit log', () => appendCounts(db))
      timers.every(1_000, 'analyzing grown tables', async () => void (await analyzeGrownTables(db)))
      timers.every(1_000, 'holding bridges', () => bridges.hold())
      timers.every(5_000, 'deleting lost connections', () => connections.takeOrphans())
      timers.every(5_000, 'taking over work of dead processes', () => queue.unlockDead())
      timers.every(1_000, 'expiring commands', () => expireCommands({ db, feed }))
      timers.every(5_000, 'deleting custom fields', () => purgeCustomFields(db))
      timers.every(60_000, 'deleting old commands', () => deleteOldCommands(db))
      timers.every(5_000, 'expiring claims', () => expireClaims(db))
      timers.every(60_000, 'deleting old sign-ins', () => deleteOldSignIns(db))
      timers.every(60_000, 'deleting old attempts of single sign-on', () => deleteOldAttempts(db))
      timers.every(60_000, 'deleting mobile identities', () => expireMoidSessions(db))
      timers.every(60_000, 'deleting old receipts', () => deleteOldReceipts(db))
      timers.every(60_000, 'deleting old messages', () => deleteOldMessages(db))
      timers.every(5_000, 'deleting MQTT logins of phones', () => removeMqttLogins(services))
      timers.every(5_000, 'ending expired principals on external brokers', endExpired)
      timers.every(60_000, 'deleting stored responses', () => expireStoredResponses(db))
      timers.every(60_000, 'deleting stored registration responses', () =>
        expireRegistrationResponses(db),
      )
    },
    async stop() {
      await timers.stop()
      const last = [
        writePresence(),
        writeConnections(),
        presence.flushContacts(),
        parts.flushKeyUses(),
        commands.flushResponses(),
        configs.flush(),
        states.store(),
        writeAttempts(),
        writeContacts(),
        parts.flushRefusals(),
        parts.closeSerials(),
        usage.flush(),
      ]
      for (const result of await Promise.allSettled(last)) {
        if (result.status === 'rejected') warn('some data could not be written', result.reason)
      }
      await heartbeat.leave().catch((error: unknown) => warn('the process stays listed', error))
    },
  }
}
