/**
 * The metrics of `/metrics` beyond those of the Node process. They cover one process, and have no
 * tenant among their labels, so that their number does not grow with the number of tenants.
 */
import { statfs } from 'node:fs/promises'
import { Histogram } from 'prom-client'
import type { Database } from '../platform/database/connect.ts'
import type { AuditLogSize } from '../features/audit/log/audit-log-size.ts'
import type { DeliveryEngine } from '../features/events/webhooks/delivery-engine.ts'
import type { FailureCode } from '../platform/errors/errors.ts'
import type { HttpConnections } from '../platform/http/connections.ts'
import type { Metrics } from '../platform/http/operator.ts'
import type { Backlog } from '../platform/jobs/backlog.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import type { ClockWatch } from './clock-watch.ts'
import type { Mqtt } from './mqtt.ts'
import type { Tracing } from './tracing.ts'
import { mqttCounters, mqttGauges } from './mqtt-metrics.ts'

/** Bucket bounds. Long polls and streams take longer than all of them. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const classOf = (status: number): string => `${Math.floor(status / 100)}xx`

export type RequestTimes = ReturnType<typeof createRequestTimes>

export function createRequestTimes() {
  const histogram = new Histogram({
    name: 'mooring_http_request_duration_seconds',
    help: 'Duration of API requests by status class.',
    labelNames: ['status'],
    buckets: SECONDS,
    registers: [],
  })
  return {
    histogram,
    /** Called after each response of the API. */
    onResponse: (status: number, seconds: number) =>
      histogram.observe({ status: classOf(status) }, seconds),
  }
}

/** Totals since the start. */
export class ProblemCounts {
  readonly byCode = new Map<FailureCode, number>()

  readonly onProblem = (code: FailureCode): void =>
    void this.byCode.set(code, (this.byCode.get(code) ?? 0) + 1)
}

/** The members of a log line that the status shows. */
export interface RecentLine {
  time: string
  level: 'warn' | 'error'
  message: string
  error: string | null
  /** How often it came since it is in the list. */
  times: number
}

export interface CountedLog {
  log: Log
  /** Lines by level, including those below the log's level. */
  lines: { warn: number; error: number }
  /** The last different ones, by when they last came, oldest first. */
  recent: RecentLine[]
}

const RECENT = 10

export function countLines(log: Log): CountedLog {
  const lines = { warn: 0, error: 0 }
  const recent: RecentLine[] = []
  return {
    lines,
    recent,
    log(level, message, fields) {
      if (level === 'warn' || level === 'error') {
        lines[level] += 1
        const error = reasonOf(fields)
        const at = recent.findIndex(
          (line) => line.level === level && line.message === message && line.error === error,
        )
        const times = 1 + (at === -1 ? 0 : (recent.splice(at, 1)[0]?.times ?? 0))
        recent.push({ time: new Date().toISOString(), level, message, error, times })
        if (recent.length > RECENT) recent.shift()
      }
      log(level, message, fields)
    },
  }
}

export interface MetricParts {
  database: Database
  mqtt: Mqtt
  deliveries: DeliveryEngine
  backlog: Backlog
  auditSize: AuditLogSize
  dataDir: string
  /** How often the embedded database was started again. */
  restarts: () => number
  clocks: ClockWatch
  isReady: () => boolean
  connections: HttpConnections
  requestTimes: RequestTimes
  lines: CountedLog['lines']
  recent: CountedLog['recent']
  sentProblems: ProblemCounts
  tracing: Pick<Tracing, 'counts'>
}

const webhookMetrics = (deliveries: DeliveryEngine): Metrics['gauges'] => ({
  mooring_webhook_sendings: {
    help: 'Webhook requests in flight in this process.',
    value: () => deliveries.sending,
  },
  mooring_webhooks_held: {
    help: 'Webhooks that this process holds a lease on.',
    value: () => deliveries.held,
  },
  mooring_webhook_waiting: {
    help: 'Failed deliveries of all webhooks, and deliveries that wait for a failed one.',
    value: () => deliveries.backlog.waiting,
  },
  mooring_webhook_lag_seconds: {
    help: 'Age of the oldest event that an enabled webhook has not processed yet.',
    value: () => deliveries.backlog.lag_s,
  },
})

const serviceMetrics = (parts: MetricParts): Metrics['gauges'] => ({
  mooring_ready: {
    help: '1 if the process is ready, as in /readyz.',
    value: () => Number(parts.isReady()),
  },
  ...mqttGauges(parts.mqtt),
  mooring_clock_offset_seconds: {
    help: "Seconds by which the database's clock is ahead of this machine's.",
    value: () => parts.clocks.offset(),
  },
  mooring_background_tasks: {
    help:
      'Background tasks of all processes; late: due for 30 s or more, failed: no further ' +
      'attempts.',
    label: 'state',
    values: () => parts.backlog.last(),
  },
})

/**
 * The space that a plain user can still write there; with a database elsewhere there may be no
 * folder.
 */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch {
    return Number.NaN
  }
}

const storageMetrics = ({ auditSize, dataDir }: MetricParts): Metrics['gauges'] => ({
  mooring_data_free_bytes: {
    help: 'Free space of the data folder; NaN if there is none.',
    value: () => freeBytes(dataDir),
  },
  mooring_audit_log_entries: {
    help: 'Entries of the audit log of all workspaces, as estimated by the database.',
    value: () => auditSize.last().entries,
  },
  mooring_audit_log_bytes: {
    help: 'Size of the audit log with its indexes.',
    value: () => auditSize.last().bytes,
  },
})

const ownGauges = ({ connections, database }: MetricParts): Metrics['gauges'] => ({
  mooring_database_connections: {
    help: 'Connections of the pools; waiting: callers waiting for a free one.',
    label: 'state',
    values: () => database.occupancy(),
  },
  mooring_http_connections: {
    help:
      'Connections of the API; incomplete: no complete request was received since it was last ' +
      'idle.',
    label: 'state',
    values: () => connections.states(),
  },
  mooring_http_requests: {
    help: 'Requests of the API; waiting: for an earlier request of the same connection.',
    label: 'state',
    values: () => connections.requests(),
  },
})

const usageTotals = ({ usage }: Mqtt): Metrics['counters'] => ({
  mooring_usage_messages_total: {
    help: 'Messages counted by this process.',
    value: () => usage.totals().messages,
  },
  mooring_usage_bytes_total: {
    help: 'Payload bytes counted by this process.',
    value: () => usage.totals().bytes,
  },
  mooring_usage_api_calls_total: {
    help: 'API requests counted by this process.',
    value: () => usage.totals().apiCalls,
  },
})

/** The metrics of a process that only serves the API; added to those of the others. */
export const ownMetricsOf = (parts: MetricParts): Metrics => ({
  gauges: ownGauges(parts),
  counters: {
    ...usageTotals(parts.mqtt),
    mooring_log_lines_total: {
      help: 'Log lines by level, including those below MOORING_LOG_LEVEL.',
      label: 'level',
      values: () => parts.lines,
    },
    mooring_http_problems_total: {
      help: 'Refused and failed requests of the API, by the code of their problem.',
      label: 'code',
      values: () => Object.fromEntries(parts.sentProblems.byCode),
    },
    mooring_trace_spans_total: {
      help: 'Spans of traces; dropped: the collector did not take them.',
      label: 'outcome',
      values: () => parts.tracing.counts,
    },
    mooring_http_connections_refused_total: {
      help:
        'Closed connections of the API: too many connections, too many of one address, or too ' +
        'many requests.',
      label: 'reason',
      values: () => parts.connections.refused,
    },
  },
  others: [parts.requestTimes.histogram],
})

/** The metrics of the main process, or of the only one. */
export function metricsOf(parts: MetricParts): Metrics {
  const own = ownMetricsOf(parts)
  return {
    gauges: {
      ...serviceMetrics(parts),
      ...own.gauges,
      ...storageMetrics(parts),
      ...webhookMetrics(parts.deliveries),
    },
    counters: {
      ...own.counters,
      ...mqttCounters(parts.mqtt),
      mooring_embedded_postgres_restarts_total: {
        help: 'Restarts of the embedded Postgres after an unexpected end.',
        value: parts.restarts,
      },
      mooring_webhook_tries_total: {
        help: 'Delivery attempts of this process to webhooks; dead: the last attempt of a delivery.',
        label: 'outcome',
        values: () => parts.deliveries.tries,
      },
    },
    others: own.others,
  }
}
