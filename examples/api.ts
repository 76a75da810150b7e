/** Shared by the examples: calling the API, and connecting to MQTT as a device. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import mqtt, { type MqttClient } from 'mqtt'
import { type Client, type ClientOptions, createClient, MooringError } from '../sdk/client.ts'
import type { ProvisionedDevice } from '../sdk/schema.ts'

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

/** A client of the service, which says where it looked for one that is not there. */
export function openClient(baseUrl: string, credential: Omit<ClientOptions, 'baseUrl'>): Client {
  const explained = (error: Error): never => {
    // `fetch` hides why it could not connect.
    const { message } = (error.cause ?? error) as Error
    throw new Error(
      `no service at ${baseUrl} (${message}): start it with npm start, or say where it is with --url`,
    )
  }
  return createClient({
    baseUrl,
    ...credential,
    fetch: (address, init) => fetch(address, init).catch(explained),
  })
}

/** Connects as the device. `mqtt_username` is also the client id; no other is accepted. */
export function connect(credentials: ProvisionedDevice): Promise<MqttClient> {
  const { mqtt_host: host, mqtt_port: port, mqtt_tls: tls, mqtt_username: username } = credentials
  const options = {
    username,
    password: credentials.mqtt_password,
    clientId: username,
    clean: true,
    reconnectPeriod: 0,
  }
  return mqtt.connectAsync(`${tls ? 'mqtts' : 'mqtt'}://${host}:${port}`, options, false)
}

/** Ends an example that failed: prints one line and sets exit code 1. */
export function fail(error: unknown): void {
  const code = error instanceof MooringError ? `${error.status} ${error.code}: ` : ''
  console.error(`${code}${(error as Error).message}`)
  process.exitCode = 1
}
