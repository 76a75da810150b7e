/** Shared by the examples: calling the API, and connecting to MQTT as a device. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import mqtt, { type MqttClient } from 'mqtt'

/** Where the service is; an option of every example. */
export const url = {
  type: 'string',
  default: process.env['API_URL'] ?? 'http://127.0.0.1:8080',
} as const

/** Parses the arguments; for `--help` or invalid ones, prints `help` and exits. */
export function readOptions<const T extends ParseArgsOptionsConfig>(help: string, options: T) {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(help)
    process.exit(0)
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`)
    return process.exit(2)
  }
}

/** The response of provisioning and rotation; a device must keep all of it. */
export interface Credentials {
  device_id: string
  device_key: string
  workspace_slug: string
  mqtt_host: string
  mqtt_port: number
  mqtt_tls: boolean
  mqtt_username: string
  mqtt_password: string
  device_http_token: string
}

/** A refused request: the service explains why in a problem (RFC 9457). */
export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, problem: { code?: string; detail?: string }) {
    super(problem.detail ?? `status ${status}`)
    this.status = status
    this.code = problem.code ?? 'unknown'
  }
}

/**
 * Calls `METHOD /path` below /api/v1 and returns the JSON response.
 * @throws Refused
 */
export async function call<T>(
  url: string,
  operation: string,
  headers: Record<string, string>,
  body?: object,
): Promise<T> {
  const [method, path] = operation.split(' ')
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  }).catch((error: Error) => {
    // `fetch` hides why it could not connect.
    const { message } = (error.cause ?? error) as Error
    throw new Error(
      `no service at ${url} (${message}): start it with npm start, or say where it is with --url`,
    )
  })
  const text = await response.text()
  const parsed = text === '' ? undefined : (JSON.parse(text) as unknown)
  if (!response.ok) throw new Refused(response.status, parsed as { code?: string })
  return parsed as T
}

/** Connects as the device. `mqtt_username` is also the client id; no other is accepted. */
export function connect(credentials: Credentials): Promise<MqttClient> {
  const { mqtt_host: host, mqtt_port: port, mqtt_tls: tls, mqtt_username: username } = credentials
  return mqtt.connectAsync({
    protocol: tls ? 'mqtts' : 'mqtt',
    host,
    port,
    username,
    password: credentials.mqtt_password,
    clientId: username,
    clean: true,
    reconnectPeriod: 0,
  })
}

/** Ends an example that failed: prints one line and sets exit code 1. */
export function fail(error: unknown): void {
  const code = error instanceof Refused ? `${error.status} ${error.code}: ` : ''
  console.error(`${code}${(error as Error).message}`)
  process.exitCode = 1
}
