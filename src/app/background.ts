/** The background tasks of all features, and which of them repeat. */
import type { Config } from '../platform/config/config.ts'
import type pg from 'pg'
import type { Database } from '../platform/database/connect.ts'
import {
  type AuditSettings,
  auditRepetitions,
  createAuditTasks,
} from '../features/audit/log/jobs.ts'
import {
  createDomainCertificateTasks,
  domainCertificateRepetitions,
} from '../features/domains/certificates/jobs.ts'
import { createAddressProofTasks } from '../features/identity/address-proofs/jobs.ts'
import { createDoctorTasks } from '../features/operator/doctor/jobs.ts'
import type { ExamineBroker } from '../features/operator/doctor/doctor-run.ts'
import { createDomainTasks, domainRepetitions } from '../features/domains/ownership/jobs.ts'
import { createFleetJobTasks, fleetJobRepetitions } from '../features/fleet/bulk-jobs/jobs.ts'
import { createInvoiceTasks, invoiceRepetitions } from '../features/billing/invoices/jobs.ts'
import { createMailTasks, mailRepetitions } from '../features/mail/outbox/jobs.ts'
import { createMqttConnectionTasks } from '../features/mqtt/sessions/connection-disconnect.ts'
import { createMemberTasks, memberRepetitions } from '../features/team/members/jobs.ts'
import {
  createRotationCampaignTasks,
  rotationCampaignRepetitions,
} from '../features/fleet/rotation-campaigns/jobs.ts'
import { createUsageTasks, usageRepetitions } from '../features/metering/usage/jobs.ts'
import type { DeliveryRetention } from '../features/events/webhooks/delivery-retention.ts'
import { createWebhookTasks, webhookRepetitions } from '../features/events/webhooks/jobs.ts'
import {
  createWorkspaceTasks,
  workspaceRepetitions,
} from '../features/workspaces/lifecycle/jobs.ts'
import {
  createPaymentMethodTasks,
  paymentMethodRepetitions,
} from '../features/billing/payment-methods/jobs.ts'
import { createPaymentTasks, paymentRepetitions } from '../features/billing/payments/jobs.ts'
import type { Periodic, Task } from '../platform/jobs/job.ts'
import { createQueue, type Queue } from '../platform/jobs/queue.ts'
import { errorFields, type Log } from '../platform/log.ts'
import type { Mailer } from '../adapters/smtp/port.ts'
import { createSmtpMailer } from '../adapters/smtp/smtp.ts'
import type { AllServices } from '../operations.ts'
import type { Tracing } from './tracing.ts'
import { warnWith } from './warnings.ts'

const auditSettingsOf = (config: Config, log: Log): AuditSettings => ({
  anchorIntervalS: config.auditAnchorIntervalS,
  auditRetentionDays: config.auditRetentionDays,
  eventsRetentionDays: config.eventsRetentionDays,
  onError: (error) => log('error', 'old audit entries could not be deleted', errorFields(error)),
})

interface Settings {
  audit: AuditSettings
  retention: DeliveryRetention
  usageHourDays: number
  examine: ExamineBroker
}

const NO_MAILER = 'MOORING_SMTP_URL is not set: see /outbox on the operator port'

/** Each feature that has tasks exports `create…Tasks(services)` from its `jobs.ts`. */
function tasksOf(
  services: AllServices,
  mailer: Mailer | undefined,
  { audit, retention, usageHourDays, examine }: Settings,
  log: Log,
): Task[] {
  const warn = warnWith(log)
  return [
    ...createAddressProofTasks(services),
    ...createAuditTasks(services, audit),
    ...createDomainCertificateTasks({ ...services, warn }),
    ...createDoctorTasks(services, examine),
    ...createDomainTasks(services),
    ...createInvoiceTasks(services),
    ...createFleetJobTasks({ ...services, warn }),
    ...createRotationCampaignTasks(services),
    ...createMailTasks(services, mailer, (mail) =>
      log('warn', 'mail is stored and not sent', { ...mail, reason: NO_MAILER }),
    ),
    ...createMemberTasks(services),
    ...createMqttConnectionTasks(services),
    ...createUsageTasks(services, usageHourDays),
    ...createPaymentMethodTasks(services),
    ...createPaymentTasks(services),
    ...createWebhookTasks(services, retention),
    ...createWorkspaceTasks(services),
  ]
}

/** In one process at a time; for work that every process does, there is `timers.every`. */
const periodicOf = (audit: AuditSettings): Periodic[] => [
  ...auditRepetitions(audit),
  ...domainCertificateRepetitions,
  ...domainRepetitions,
  ...invoiceRepetitions,
  ...fleetJobRepetitions,
  ...rotationCampaignRepetitions,
  ...mailRepetitions,
  ...memberRepetitions,
  ...usageRepetitions,
  ...paymentMethodRepetitions,
  ...paymentRepetitions,
  ...webhookRepetitions,
  ...workspaceRepetitions,
]

const notHere: ExamineBroker = () =>
  Promise.reject(new Error('this process does not examine brokers: run `mooring doctor`'))

function mailerOf({ smtpUrl: url, mailFrom: from }: Config): Mailer | undefined {
  return url === undefined || from === undefined ? undefined : createSmtpMailer({ url, from })
}

export const createBackground = (
  options: {
    config: Config
    connection: pg.PoolConfig
    isShared: boolean
    examine?: ExamineBroker
    log: Log
  },
  { database, services, tracing }: { database: Database; services: AllServices; tracing: Tracing },
): Queue => {
  const audit = auditSettingsOf(options.config, options.log)
  const { webhookLogDays: logDays, eventsRetentionDays, usageHourDays } = options.config
  const { examine = notHere } = options
  const retention = { logDays, eventsRetentionDays }
  const settings = { audit, retention, usageHourDays, examine }
  return createQueue({
    connection: options.connection,
    db: database,
    prepared: options.config.databasePrepared === 'on',
    tasks: tasksOf(services, mailerOf(options.config), settings, options.log),
    periodic: periodicOf(audit),
    nodeId: services.nodeId,
    isShared: options.isShared,
    tracer: tracing.tracer,
    log: options.log,
  })
}
