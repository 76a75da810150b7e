/** `mooring status`: whether the service works, and what to do if it does not. */
import type { Command } from 'commander'
import type { ServiceStatus } from '../app/status.ts'
import type { StatusReport } from './status/read-status.ts'
import { addCommand, CommandFailure, print } from './command.ts'

type Line = readonly [name: string, text: string]

const MIB = 2 ** 20
const size = (bytes: number | null): string =>
  bytes === null ? 'unknown' : `${Math.round(bytes / MIB).toLocaleString('en')} MiB`
const count = (number: number | null): string =>
  number === null ? 'unknown' : number.toLocaleString('en')

function databaseLine({ database }: ServiceStatus): Line {
  const { problem, version, bytes, is_embedded: isEmbedded, connections } = database
  if (problem !== null) return ['database', `does not respond: ${problem}`]
  const kind = isEmbedded ? 'embedded' : 'of your own'
  const { busy, idle, waiting } = connections
  const pool = `connections: ${busy} busy, ${idle} idle, ${waiting} waiting`
  return ['database', `Postgres ${version}, ${kind}, ${size(bytes)}; ${pool}`]
}

function linesOf(service: ServiceStatus): Line[] {
  const { mqtt, backlog, disk, certificates, restored_backup: restored } = service
  const { tasks, webhook_deliveries: deliveries, mails, audit_entries: entries } = backlog
  return [
    [
      'service',
      `${service.problems.length === 0 ? 'ready' : 'NOT READY'}, version ${service.version}`,
    ],
    ['running', `since ${service.started_at}`],
    databaseLine(service),
    ['broker', `embedded: ${mqtt.sessions} sessions`],
    ...Object.entries(mqtt.brokers).map(([name, state]): Line => ['broker', `${name}: ${state}`]),
    ['tasks', `${tasks.running} running, ${tasks.late} late, ${tasks.failed} given up`],
    [
      'waiting',
      `webhook deliveries ${deliveries}, mails ${count(mails)}, audit entries ${count(entries)}`,
    ],
    ['disk', `${size(disk.free_bytes)} free in ${disk.folder}`],
    ['certificate', certificates.listener_ends_at ?? 'none: the listeners are plaintext'],
    ...(restored === null
      ? []
      : [
          [
            'restored',
            `from the backup of ${restored.backup_at}, at ${restored.restored_at}`,
          ] as const,
        ]),
    ...service.last_errors.map(
      ({ time, level, message, error, times }): Line => [
        level,
        `${time} ${message}${error === null ? '' : `: ${error}`}` +
          (times > 1 ? ` (${times.toLocaleString('en')} times)` : ''),
      ],
    ),
  ]
}

const WIDTH = 13

/** Without a finding: the service works now, but it may have logged that it did not. */
function toDo(service: ServiceStatus | null): string {
  const lines = service?.last_errors ?? []
  if (lines.length === 0) return 'nothing'
  const isSlow = lines.some(({ error }) => /timeout|timed out/i.test(error ?? ''))
  return (
    'nothing now. If the lines above continue, read the log, which has more of each.' +
    (isSlow ? ' After a timeout, look whether what it waited for is too slow for its load.' : '')
  )
}

/** The printed part of a report. */
export function textOf({ asked, service, findings }: StatusReport): string {
  const lines: Line[] =
    service === null ? [['service', `DOES NOT RESPOND at ${asked}`]] : linesOf(service)
  for (const { level, text, advice } of findings) {
    lines.push([level === 'problem' ? 'PROBLEM' : 'warning', text], ['', advice])
  }
  if (findings.length === 0) lines.push(['to do', toDo(service)])
  return lines.map(([name, text]) => `${name.padEnd(WIDTH)}${text}`).join('\n')
}

async function status({ json }: { json?: true }): Promise<void> {
  const { readStatus } = await import('./status/read-status.ts')
  const report = await readStatus()
  if (json) print(JSON.stringify(report))
  else print(textOf(report))
  const problems = report.findings.filter(({ level }) => level === 'problem').length
  if (problems > 0) {
    throw new CommandFailure(
      problems === 1 ? 'There is one problem.' : `There are ${problems} problems.`,
    )
  }
}

export function addStatus(program: Command): void {
  addCommand(program, 'status', {
    summary: 'Print whether the service works, and what to do if it does not',
    more:
      'Asks the running service on MOORING_OPERATOR_PORT: version, database, brokers, what waits, ' +
      'free space, certificates, and the last errors. Warnings do not change the exit code.',
    examples: ['status', 'status --json'],
    failsWhen: 'the service does not respond or is not ready, or there is another problem',
  })
    .option('--json', 'print only one JSON object')
    .action(status)
}
