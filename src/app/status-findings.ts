/** The findings of a status: present faults, coming ones, and their remedies. */
import type { Finding, ServiceStatus } from '../features/operator/service/schema.ts'
import { DAY_MS } from '../platform/lib/time.ts'

const GIB = 2 ** 30
const FULL_BYTES = GIB
const SHORT_BYTES = 5 * GIB
const MAX_CLOCK_OFFSET_SECONDS = 5
/** The count of entries or mails at which counting stops. */
const MANY = 10_000
const LAG_SECONDS = 600

const found = (
  level: Finding['level'],
  text: string,
  advice: string,
  page: Finding['page'] = null,
): Finding[] => [{ level, text, advice, page }]

const foundIf = (isSo: boolean, ...finding: Parameters<typeof found>): Finding[] =>
  isSo ? found(...finding) : []

const warningIf = (isSo: boolean, text: string, advice: string, page?: Finding['page']) =>
  foundIf(isSo, 'warning', text, advice, page)

const problemIf = (isSo: boolean, text: string, advice: string) =>
  foundIf(isSo, 'problem', text, advice)

function ofDisk({ disk }: Pick<ServiceStatus, 'disk'>): Finding[] {
  const { free_bytes: free, folder } = disk
  if (free === null) return []
  return foundIf(
    free < SHORT_BYTES,
    free < FULL_BYTES ? 'problem' : 'warning',
    `only ${(free / GIB).toFixed(1)} GiB are free in ${folder}`,
    'Make space: a full disk stops the embedded database from writing. docs/operations.md lists what grows.',
  )
}

function ofDatabase({ database }: ServiceStatus): Finding[] {
  const { problem, connections, clock_offset_s: offset, restarts } = database
  return [
    ...problemIf(
      problem !== null,
      `the database does not respond: ${problem}`,
      'Look at the database server, or at postgres.log in the data folder.',
    ),
    ...warningIf(
      connections.waiting > 0,
      `${connections.waiting} callers wait for a database connection`,
      'If it stays so, look for slow statements, or raise MOORING_DATABASE_POOL_SIZE.',
    ),
    ...problemIf(
      Math.abs(offset) > MAX_CLOCK_OFFSET_SECONDS,
      `the clocks of this machine and of the database differ by ${Math.round(offset)} s`,
      'Set the clocks by NTP.',
    ),
    ...warningIf(
      restarts > 0,
      `the embedded Postgres ended by itself ${restarts} times`,
      'Look at postgres.log in the data folder for why.',
    ),
  ]
}

function ofWebhooks({ backlog }: ServiceStatus): Finding[] {
  const { webhooks_failing: failing, webhooks_failing_s: seconds } = backlog
  const { webhook_lag_s: lag, webhooks_failing_in: slugs } = backlog
  const minutes = Math.round(seconds / 60)
  const time = minutes < 2 ? 'less than two minutes' : `${minutes} minutes`
  const where = slugs.join(', ')
  return [
    ...warningIf(
      failing > 0,
      failing === 1
        ? `a webhook of ${where} has been failing for ${time}`
        : `${failing} webhooks are failing, the first for ${time}: of ${where}`,
      'The page Webhooks of the workspace says why to its owners and admins. Deliveries wait and are tried again.',
      'workspaces',
    ),
    ...warningIf(
      lag >= LAG_SECONDS,
      `the oldest event that a webhook has not read yet is ${Math.round(lag / 60)} minutes old`,
      'If the number grows, look at the log and at the load of the machine.',
    ),
  ]
}

function ofBacklog({ backlog }: ServiceStatus): Finding[] {
  const { tasks, mails, mails_kept: kept, audit_entries: entries } = backlog
  return [
    ...warningIf(
      tasks.failed > 0,
      `${tasks.failed} background tasks were given up in the last 14 days`,
      'The log names each, with its error.',
      'tasks',
    ),
    ...warningIf(
      tasks.late > 0,
      `${tasks.late} background tasks are late`,
      'If the number grows, look at the log and at the load of the machine.',
      'tasks',
    ),
    ...warningIf(
      (mails ?? 0) >= MANY,
      'ten thousand e-mails or more wait',
      'Check the mail server.',
      'mails',
    ),
    ...warningIf(
      (kept ?? 0) > 0,
      `${kept} e-mails were not sent: there was no mail server`,
      'Set MOORING_SMTP_URL and MOORING_MAIL_FROM, restart, then send them from the page Mail.',
      'mails',
    ),
    ...warningIf(
      (entries ?? 0) >= MANY,
      'ten thousand audit entries or more are not in the chain yet',
      'If it stays so, look at the log for "could not be appended".',
    ),
  ]
}

function ofCertificates(status: ServiceStatus, now: number): Finding[] {
  const { listener_ends_at: end, domains_ending: domains, within_days: days } = status.certificates
  const left = end === null ? Infinity : (Date.parse(end) - now) / DAY_MS
  return [
    ...foundIf(
      left <= days,
      left < days / 2 ? 'problem' : 'warning',
      left < 0
        ? `the certificate of MOORING_TLS_CERT_FILE has expired at ${end}`
        : `the certificate of MOORING_TLS_CERT_FILE expires at ${end}`,
      'Renew the files; the service reads them again by itself.',
    ),
    ...warningIf(
      (domains ?? 0) > 0,
      `${domains} certificates of domains expire within ${days} days`,
      'Look at the domains in the console: an order failed, or an uploaded one must be replaced.',
    ),
  ]
}

const ofBrokers = ({ mqtt }: ServiceStatus): Finding[] =>
  Object.entries(mqtt.brokers)
    .filter(([, state]) => state !== 'connected')
    .flatMap(([name, state]) =>
      found(
        'problem',
        `the bridge to the broker ${name} is not connected: ${state}`,
        `Run \`mooring doctor ${name}\`, or look at the broker's log.`,
        'brokers',
      ),
    )

/** Problems first. @param now milliseconds since the epoch */
export function findingsOf(status: ServiceStatus, now: number): Finding[] {
  const all = [
    ...status.problems.flatMap((problem) =>
      found('problem', problem, 'Requests get 503 until it is over; the log says why.'),
    ),
    ...ofDatabase(status),
    ...ofBrokers(status),
    ...ofDisk(status),
    ...ofCertificates(status, now),
    ...ofBacklog(status),
    ...ofWebhooks(status),
  ]
  return all.sort((a, b) => Number(b.level === 'problem') - Number(a.level === 'problem'))
}
