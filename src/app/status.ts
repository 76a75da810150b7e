/** The state of this process and of its database, for `mooring status`. */
import { X509Certificate } from 'node:crypto'
import { readState } from '../features/workspaces/installation/store.ts'
import type { Config } from '../platform/config/config.ts'
import { readStored } from '../platform/lib/stored-json.ts'
import { errorFields, reasonOf } from '../platform/log.ts'
import type { AllServices } from '../operations.ts'
import type { Certificate } from './certificate.ts'
import { freeBytes, type MetricParts } from './metrics.ts'
import { RestoredBackup, type ServiceStatus } from '../features/operator/service/schema.ts'

export type { ServiceStatus } from '../features/operator/service/schema.ts'

export interface StatusParts extends MetricParts {
  services: Pick<AllServices, 'autonomousDb' | 'webConsole'>
  certificate: Certificate
  config: Config
  problems: () => string[]
}

/** Certificates of domains that end sooner are counted: ACME renews them long before. */
const ENDING_DAYS = 14
const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString()

const endOf = (certificate: Certificate): string | null => {
  const cert = certificate.present()?.cert
  return cert === undefined ? null : new X509Certificate(cert).validToDate.toISOString()
}

export async function statusOf(parts: StatusParts): Promise<ServiceStatus> {
  const { mqtt, deliveries, config, services, database } = parts
  let problem: string | null = null
  const asked = readState.one(services.autonomousDb, { days: ENDING_DAYS })
  const state = await asked.catch((error: unknown) => {
    problem = reasonOf(errorFields(error))
    return undefined
  })
  const free = await freeBytes(config.dataDir)
  const bridges = [...mqtt.bridges.problems()].map(([name, why]) => [name, why ?? 'connected'])
  return {
    version: services.webConsole.version,
    started_at: startedAt,
    problems: parts.problems(),
    database: {
      problem,
      is_embedded: config.databaseUrl === undefined,
      restarts: parts.restarts(),
      connections: database.occupancy(),
      version: state?.version ?? null,
      bytes: state?.bytes ?? null,
      clock_offset_s: parts.clocks.offset(),
    },
    mqtt: {
      sessions: mqtt.broker.connections().length,
      brokers: Object.fromEntries(bridges) as Record<string, string>,
    },
    backlog: {
      tasks: { ...parts.backlog.last() },
      webhook_deliveries: deliveries.backlog.waiting,
      webhook_lag_s: deliveries.backlog.lag_s,
      webhooks_failing: deliveries.backlog.failing,
      webhooks_failing_s: deliveries.backlog.failing_s,
      webhooks_failing_in: deliveries.backlog.failing_in,
      mails: state?.mails_queued ?? null,
      mails_kept: state?.mails_kept ?? null,
      mails_failed: state?.mails_failed ?? null,
      audit_entries: state?.audit_entries_unchained ?? null,
    },
    disk: { folder: config.dataDir, free_bytes: Number.isNaN(free) ? null : free },
    certificates: {
      listener_ends_at: endOf(parts.certificate),
      domains_ending: state?.certificates_ending ?? null,
      within_days: ENDING_DAYS,
    },
    restored_backup: readRestored(state?.restored_backup),
    last_errors: parts.recent,
  }
}

const readRestored = (text: string | null | undefined): ServiceStatus['restored_backup'] =>
  text === null || text === undefined ? null : readStored(RestoredBackup, JSON.parse(text))
