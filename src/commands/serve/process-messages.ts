/** The messages between the main process and those that serve the API. */
import type { BrokerPorts } from '../../adapters/broker/embedded/listeners.ts'
import type { RootKeys } from '../../platform/access/keyring.ts'
import type { ProcessMetrics } from '../../platform/http/operator.ts'

/** How a process is to work. Keys go this way because others can read an environment. */
export interface Setup {
  masterKey: Uint8Array
  roots: RootKeys
  mqttPorts: BrokerPorts
  /** The port of the API; 0 at the first start if the process has to choose a free one. */
  httpPort: number
  poolSize: number
  /** Processes that share the connections of the API. */
  sharers: number
}

/** To a process that serves the API. */
export type Order =
  | { kind: 'setup'; setup: Setup }
  | { kind: 'metrics'; id: number }
  | { kind: 'state_settled'; id: number }
  | { kind: 'stop' }

/** Why it could not start, with the fields of an error of `listen`. */
export interface StartFailure {
  message: string
  code?: string | undefined
  syscall?: string | undefined
  port?: number | undefined
  address?: string | undefined
  hostname?: string | undefined
}

/** From such a process. */
export type Report =
  | { kind: 'asking' }
  | { kind: 'listening'; port: number }
  | { kind: 'failed'; failure: StartFailure }
  | { kind: 'metrics'; id: number; metrics: ProcessMetrics }
  | { kind: 'settle_state'; id: number; deviceId: string }
