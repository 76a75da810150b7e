/**
 * The part of the service's work that a process does. Several processes of a machine share one port
 * of the API: the main one has everything else, and the others only answer requests.
 */
import type { BrokerPorts } from '../adapters/broker/embedded/listeners.ts'
import type { ProcessMetrics } from '../platform/http/operator.ts'

export type Part =
  | { kind: 'whole' }
  | {
      kind: 'main'
      /** Where the others listen; 0 until they do. */
      httpPort: () => number
      /** Whether any of them listens. */
      isServing: () => boolean
      /** The metrics of each of them that responds in time. */
      metricsOfOthers: () => Promise<ProcessMetrics[]>
    }
  | {
      kind: 'http'
      /** The ports of the broker in the main process. */
      mqttPorts: BrokerPorts
      /** Lets the main process write the published state of a device, if one waits. */
      settleState: (deviceId: string) => Promise<void>
    }

export const WHOLE: Part = { kind: 'whole' }
