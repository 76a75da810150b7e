/** The background tasks of all features. For what every process repeats, see `housekeeping.ts`. */
import type { Config } from '../platform/config/config.ts'
import type pg from 'pg'
import type { Database } from '../platform/database/connect.ts'
import { createAuditTasks } from '../features/audit/log/jobs.ts'
import { createDomainCertificateTasks } from '../features/domains/certificates/jobs.ts'
import { createAddressProofTasks } from '../features/identity/address-proofs/link-request.ts'
import { createDoctorTasks, type ExamineBroker } from '../features/operator/doctor/doctor-run.ts'
import { createDomainTasks } from '../features/domains/ownership/domain-recheck.ts'
import { createBulkJobTasks } from '../features/fleet/bulk-jobs/bulk-job-run.ts'
import { createInvoiceTasks } from '../features/billing/invoices/jobs.ts'
import { createMailTasks } from '../features/mail/outbox/jobs.ts'
import { createMqttConnectionTasks } from '../features/mqtt/sessions/connection-disconnect.ts'
import { createMemberTasks } from '../features/team/members/invitation-revocation.ts'
import { createRotationCampaignTasks } from '../features/fleet/rotation-campaigns/campaign-run.ts'
import { createUsageTasks } from '../features/metering/usage/jobs.ts'
import { createWebhookTasks } from '../features/events/webhooks/jobs.ts'
import { createWorkspaceTasks } from '../features/workspaces/lifecycle/workspace-erasure.ts'
import { createPaymentMethodTasks } from '../features/billing/payment-methods/jobs.ts'
import { createPaymentTasks } from '../features/billing/payments/jobs.ts'
import type { Task } from '../platform/jobs/job.ts'
import { createQueue, type Queue } from '../platform/jobs/queue.ts'
import { errorFields, type Log } from '../platform/log.ts'
import type { Mailer } from '../adapters/smtp/port.ts'
import { createSmtpMailer } from '../adapters/smtp/smtp.ts'
import type { AllServices } from '../operations.ts'
import type { Tracing } from './tracing.ts'
import { warnWith } from './warnings.ts'

interface Options {
  config: Config
  connection: pg.PoolConfig
  isShared: boolean
  examine?: ExamineBroker
  log: Log
}

const NO_MAILER = 'MOORING_SMTP_URL is not set: see /outbox on the operator port'

/** Each feature that has tasks exports `create…Tasks(services)`. */
function tasksOf(services: AllServices, { config, examine = notHere, log }: Options): Task[] {
  const warn = warnWith(log)
  const { webhookLogDays: logDays, eventsRetentionDays, usageHourDays } = config
  const onError = (error: unknown): void =>
    log('error', 'old audit entries could not be deleted', errorFields(error))
  return [
    ...createAddressProofTasks(services),
    ...createAuditTasks(services, { ...config, onError }),
    ...createDomainCertificateTasks({ ...services, warn }),
    ...createDoctorTasks(services, examine),
    ...createDomainTasks(services),
    ...createInvoiceTasks(services),
    ...createBulkJobTasks({ ...services, warn }),
    ...createRotationCampaignTasks(services),
    ...createMailTasks(services, mailerOf(config), (mail) =>
      log('warn', 'mail is stored and not sent', { ...mail, reason: NO_MAILER }),
    ),
    ...createMemberTasks(services),
    ...createMqttConnectionTasks(services),
    ...createUsageTasks(services, usageHourDays),
    ...createPaymentMethodTasks(services),
    ...createPaymentTasks(services),
    ...createWebhookTasks(services, { logDays, eventsRetentionDays }),
    ...createWorkspaceTasks(services),
  ]
}

const notHere: ExamineBroker = () =>
  Promise.reject(new Error('this process does not examine brokers: run `mooring doctor`'))

const mailerOf = ({ smtpUrl: url, mailFrom: from }: Config): Mailer | undefined =>
  url === undefined || from === undefined ? undefined : createSmtpMailer({ url, from })

export const createBackground = (
  options: Options,
  { database, services, tracing }: { database: Database; services: AllServices; tracing: Tracing },
): Queue =>
  createQueue({
    connection: options.connection,
    db: database,
    prepared: options.config.databasePrepared === 'on',
    tasks: tasksOf(services, options),
    nodeId: services.nodeId,
    isShared: options.isShared,
    tracer: tracing.tracer,
    log: options.log,
  })
