/** Traces, if a collector is configured; without one nothing of them runs. */
import type { ConnectDecision, ConnectRequest } from '../adapters/broker/port.ts'
import type { AuthorityServices } from '../features/mqtt/credentials/authority.ts'
import type { Config } from '../platform/config/config.ts'
import { OtlpExporter } from '../platform/trace/otlp.ts'
import { Tracer } from '../platform/trace/tracer.ts'
import { LogThrottle } from '../platform/lib/log-throttle.ts'
import { andThen } from '../platform/lib/maybe-promise.ts'
import { during, type Span, type SpanStart } from '../platform/trace/span.ts'
import type { Warn } from './warnings.ts'

export interface Tracing {
  /** Undefined: nothing is traced. */
  tracer: Tracer | undefined
  /** Spans since the start. */
  counts: Readonly<Record<'sent' | 'dropped', number>>
  stop(): Promise<void>
}

const OFF: Tracing = {
  tracer: undefined,
  counts: { sent: 0, dropped: 0 },
  stop: () => Promise.resolve(),
}

export function createTracing(
  config: Config,
  { nodeId, version, warn }: { nodeId: string; version: string; warn: Warn },
): Tracing {
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = config
  if (endpoint === undefined) return OFF
  const throttle = new LogThrottle()
  const exporter = new OtlpExporter({
    endpoint,
    headers,
    resource: {
      'service.name': 'mooring',
      'service.version': version,
      'service.instance.id': nodeId,
    },
    warn: (message, error) => {
      if (throttle.isDue()) warn(message, error)
    },
  })
  const tracer = new Tracer({
    ratio: config.traceRatio,
    perSecond: config.tracesPerSecond,
    trusted: config.traceCallers,
    take: exporter.take,
  })
  return { tracer, counts: exporter.counts, stop: () => exporter.stop() }
}

const connectSpan = ({ protocolVersion, transport, external }: ConnectRequest): SpanStart => ({
  name: 'MQTT CONNECT',
  kind: 'server',
  attributes: {
    'network.protocol.name': 'mqtt',
    'network.protocol.version': String(protocolVersion),
    'network.transport': transport,
    'mooring.broker': external?.broker ?? 'embedded',
  },
})

function noteDecision({ attributes }: Span, decision: ConnectDecision): ConnectDecision {
  attributes['mooring.connect.outcome'] = decision.accepted ? 'accepted' : decision.reason
  if (decision.accepted) attributes['mooring.principal_id'] = decision.grant.principalId
  else attributes['mooring.connect.detail'] = decision.detail
  return decision
}

/** Traces some of the decisions on CONNECTs. */
export const watchConnects = (tracer: Tracer | undefined): AuthorityServices['watch'] =>
  tracer &&
  ((request, decide) => {
    const span = tracer.root(connectSpan(request))
    if (span === undefined) return decide()
    return during(span, () => andThen(decide(), (decision) => noteDecision(span, decision)))
  })
