/** Configuration variables of traces and logs. */
import { choice, integer, networks, optional, refuse, type Variable } from './kinds.ts'

const ratio = (name: string, fallback: number, about: string): Variable<number> => ({
  name,
  fallback: String(fallback),
  about,
  read(value = String(fallback)) {
    const number = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : Number.NaN
    return number >= 0 && number <= 1 ? number : refuse(name, 'must be a number from 0 to 1')
  },
})

const HEADERS = 'MOORING_OTLP_HEADERS'
/** A name and a value of a header, as HTTP allows them. */
const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)=([\x20-\x7e]*)$/

const headers: Variable<Record<string, string>> = {
  name: HEADERS,
  fallback: 'none',
  about: 'Headers for the collector, as `authorization=Bearer abc`. Separated by commas.',
  secret: true,
  read(value = '') {
    const items = value.split(',').filter((item) => item.trim() !== '')
    return Object.fromEntries(
      items.map((item) => {
        const [, name, text] = HEADER.exec(item) ?? refuse(HEADERS, 'must hold name=value')
        return [name?.toLowerCase(), text?.trim()]
      }),
    ) as Record<string, string>
  },
}

export const telemetryVariables = {
  otlpEndpoint: optional(
    'MOORING_OTLP_ENDPOINT',
    'no traces',
    'URL of an OpenTelemetry collector that takes OTLP over HTTP as JSON, as http://127.0.0.1:4318; /v1/traces is appended.',
  ),
  otlpHeaders: headers,
  traceRatio: ratio(
    'MOORING_TRACE_RATIO',
    0.01,
    'The part of requests, CONNECTs and periodic tasks that is traced, from 0 to 1.',
  ),
  tracesPerSecond: integer(
    'MOORING_TRACES_PER_SECOND',
    50,
    [1, 10_000],
    'The most traces that a process starts in a second, also of those that callers ask for.',
  ),
  traceCallers: networks(
    'MOORING_TRACE_CALLERS',
    'Addresses or networks (CIDR) of callers whose sampled `traceparent` starts a trace whatever the ratio.',
  ),
  requestLog: choice(
    'MOORING_REQUEST_LOG',
    ['off', 'failed', 'all'],
    'off',
    'Which requests of the API get a log line, whatever the log level: none, those with a status from 400 on, or all.',
  ),
  logLevel: choice(
    'MOORING_LOG_LEVEL',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'warn',
    'The lowest level of log lines on standard error, one JSON object per line.',
  ),
  logPriority: choice(
    'MOORING_LOG_PRIORITY',
    ['on', 'off'],
    'off',
    'Whether each log line starts with its priority, as <4>, which journald and `logger --prio-prefix` read.',
  ),
} as const
