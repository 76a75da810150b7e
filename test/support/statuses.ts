/** States of a service, and what `mooring status` and the console find in each. */
import type { ServiceStatus } from '../../src/app/status.ts'

const GIB = 2 ** 30

/** When they are looked at. */
export const NOW = Date.parse('2026-01-01T00:00:00Z')

/** Nothing is to do. */
export const well: ServiceStatus = {
  version: '1.0.0',
  started_at: '2025-12-31T00:00:00.000Z',
  problems: [],
  database: {
    problem: null,
    is_embedded: true,
    restarts: 0,
    connections: { busy: 1, idle: 4, waiting: 0 },
    version: '18.4',
    bytes: 10,
    clock_offset_s: 0.2,
  },
  mqtt: { sessions: 3, brokers: { near: 'connected' } },
  backlog: {
    tasks: { running: 1, late: 0, failed: 0 },
    webhook_deliveries: 3,
    webhook_lag_s: 2,
    webhooks_failing: 0,
    webhooks_failing_s: 0,
    webhooks_failing_in: [],
    mails: 1,
    mails_kept: 0,
    mails_failed: 0,
    audit_entries: 2,
  },
  disk: { folder: 'data', free_bytes: 100 * GIB },
  certificates: { listener_ends_at: '2026-03-01T00:00:00Z', domains_ending: 0, within_days: 14 },
  restored_backup: null,
  last_errors: [],
}

/** The resources that can be found, one of each kind. */
export const statuses: readonly [
  name: string,
  change: Partial<ServiceStatus>,
  level: string,
  text: RegExp,
][] = [
  ['not ready', { problems: ['the service is stopping'] }, 'problem', /is stopping/],
  [
    'a database that is not read',
    { problems: ['the database was not read within the last second'] },
    'problem',
    /not read/,
  ],
  ['no process', { problems: ['no process serves the API'] }, 'problem', /no process/],
  [
    'a database that does not respond',
    { database: { ...well.database, problem: 'refused', version: null } },
    'problem',
    /does not respond: refused/,
  ],
  [
    'clocks that differ',
    { database: { ...well.database, clock_offset_s: -7 } },
    'problem',
    /differ by -7 s/,
  ],
  [
    'callers that wait for a connection',
    { database: { ...well.database, connections: { busy: 9, idle: 0, waiting: 4 } } },
    'warning',
    /4 callers wait/,
  ],
  [
    'a Postgres that ended by itself',
    { database: { ...well.database, restarts: 2 } },
    'warning',
    /ended by itself 2 times/,
  ],
  [
    'a bridge that is not connected',
    { mqtt: { sessions: 0, brokers: { far: 'its host name is unknown' } } },
    'problem',
    /broker far is not connected: its host name is unknown/,
  ],
  ['a full disk', { disk: { folder: 'data', free_bytes: GIB / 2 } }, 'problem', /0\.5 GiB/],
  ['a disk that fills', { disk: { folder: 'data', free_bytes: 3 * GIB } }, 'warning', /3\.0 GiB/],
  [
    'an expired certificate',
    { certificates: { ...well.certificates, listener_ends_at: '2025-12-01T00:00:00Z' } },
    'problem',
    /has expired/,
  ],
  [
    'a certificate that expires in days',
    { certificates: { ...well.certificates, listener_ends_at: '2026-01-10T00:00:00Z' } },
    'warning',
    /expires at 2026-01-10/,
  ],
  [
    'certificates of domains',
    { certificates: { ...well.certificates, domains_ending: 2 } },
    'warning',
    /2 certificates of domains/,
  ],
  [
    'tasks that were given up',
    { backlog: { ...well.backlog, tasks: { running: 0, late: 0, failed: 3 } } },
    'warning',
    /3 background tasks were given up/,
  ],
  [
    'webhooks that are behind',
    { backlog: { ...well.backlog, webhook_lag_s: 1_200 } },
    'warning',
    /oldest event .* is 20 minutes old/,
  ],
  [
    'webhooks that fail',
    {
      backlog: {
        ...well.backlog,
        webhooks_failing: 2,
        webhooks_failing_s: 200,
        webhooks_failing_in: ['acme', 'demo'],
      },
    },
    'warning',
    /2 webhooks are failing, the first for 3 minutes: of acme, demo/,
  ],
  [
    'a webhook that fails for long',
    {
      backlog: {
        ...well.backlog,
        webhooks_failing: 1,
        webhooks_failing_s: 200,
        webhooks_failing_in: ['acme'],
      },
    },
    'warning',
    /a webhook of acme has been failing for 3 minutes/,
  ],
  [
    'webhooks that begin to fail',
    {
      backlog: {
        ...well.backlog,
        webhooks_failing: 2,
        webhooks_failing_s: 20,
        webhooks_failing_in: ['acme', 'demo'],
      },
    },
    'warning',
    /2 webhooks are failing, the first for less than two minutes: of acme, demo/,
  ],
  [
    'a webhook that fails',
    {
      backlog: {
        ...well.backlog,
        webhooks_failing: 1,
        webhooks_failing_s: 20,
        webhooks_failing_in: ['acme'],
      },
    },
    'warning',
    /a webhook of acme has been failing for less than two minutes/,
  ],
  [
    'mails that no server sends',
    { backlog: { ...well.backlog, mails_kept: 7 } },
    'warning',
    /7 e-mails were not sent/,
  ],
  [
    'mails that wait',
    { backlog: { ...well.backlog, mails: 10_000 } },
    'warning',
    /ten thousand e-mails or more wait/,
  ],
  [
    'audit entries that wait',
    { backlog: { ...well.backlog, audit_entries: 10_000 } },
    'warning',
    /ten thousand audit entries or more/,
  ],
  [
    'tasks that are late',
    { backlog: { ...well.backlog, tasks: { running: 0, late: 5, failed: 0 } } },
    'warning',
    /5 background tasks are late/,
  ],
]
