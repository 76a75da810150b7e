/**
 * Duration of a revocation on each broker, until the device's connection is closed and until the
 * broker verifiably has no session: `npm run bench -- revoke-brokers`. Starts the brokers that are
 * installed.
 */
import { existsSync } from 'node:fs'
import { connectAsync, type MqttClient } from 'mqtt'
import { embeddedEnvironment } from '../test/adapters/broker/every/embedded-environment.ts'
import { mosquittoEnvironment } from '../test/adapters/broker/every/mosquitto-environment.ts'
import type { BrokerEnvironment } from '../test/adapters/broker/every/environment.ts'
import { rabbitmqEnvironment } from '../test/adapters/broker/every/rabbitmq-environment.ts'
import { MOSQUITTO } from '../test/adapters/broker/start-mosquitto.ts'
import { rabbitmqServer } from '../test/adapters/broker/start-rabbitmq.ts'
import type { Credential } from '../test/adapters/broker/test-authority.ts'
import { plainTable } from './support/plain-table.ts'

const DEVICES = 100

interface RevokeFigures {
  broker: string
  devices: number
  /** Milliseconds, median and maximum. */
  closed: [number, number]
  verified: [number, number]
  /** Devices admitted afterwards. */
  returned: number
}

interface Candidate {
  name: string
  program: string | undefined
  start: () => Promise<BrokerEnvironment>
}

const CANDIDATES: readonly Candidate[] = [
  { name: 'embedded', program: undefined, start: embeddedEnvironment },
  { name: 'Mosquitto, dynamic security', program: MOSQUITTO, start: mosquittoEnvironment },
  { name: 'RabbitMQ, hooks', program: rabbitmqServer(), start: rabbitmqEnvironment },
]

const open = (
  place: BrokerEnvironment,
  { username, password, clientId }: Credential,
): Promise<MqttClient> =>
  connectAsync(`mqtt://127.0.0.1:${place.port}`, {
    username,
    password,
    clientId,
    protocolVersion: 4,
    reconnectPeriod: 0,
  })

interface Revoke {
  closedMs: number
  verifiedMs: number
  returned: boolean
}

async function revokeOne(place: BrokerEnvironment): Promise<Revoke> {
  const credential = await place.add('ws_bench')
  const client = await open(place, credential)
  client.on('error', () => {})
  const closed = new Promise<number>((resolve) => {
    client.once('close', () => resolve(performance.now()))
  })
  const begin = performance.now()
  await place.suspend(credential)
  while (!(await place.verify(credential)));
  const verified = performance.now()
  const closedAt = await closed
  const returned = await open(place, credential).then(
    (back) => back.endAsync().then(() => true),
    () => false,
  )
  return { closedMs: closedAt - begin, verifiedMs: verified - begin, returned }
}

function medianAndMax(values: readonly number[]): [number, number] {
  const sorted = values.toSorted((one, other) => one - other)
  return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0]
}

/** One device at a time, on each installed broker. */
export async function revokeBrokers(say: (line: string) => void): Promise<RevokeFigures[]> {
  const figures: RevokeFigures[] = []
  for (const { name, program, start } of CANDIDATES) {
    if (program !== undefined && !existsSync(program)) {
      say(`${name} is left out: ${program} is not installed`)
      continue
    }
    const place = await start()
    try {
      const revocations: Revoke[] = []
      for (let count = 0; count < DEVICES; count += 1) revocations.push(await revokeOne(place))
      figures.push({
        broker: name,
        devices: DEVICES,
        closed: medianAndMax(revocations.map(({ closedMs }) => closedMs)),
        verified: medianAndMax(revocations.map(({ verifiedMs }) => verifiedMs)),
        returned: revocations.filter(({ returned }) => returned).length,
      })
      say(`${name}: done`)
    } finally {
      await place.stop()
    }
  }
  return figures
}

const milliseconds = ([median, max]: [number, number]): string =>
  `${median.toFixed(0)} ms (at most ${max.toFixed(0)})`

export function revokeTable(figures: readonly RevokeFigures[]): string {
  const rows = figures.map(({ broker, devices, closed, verified, returned }) => [
    broker,
    String(devices),
    milliseconds(closed),
    milliseconds(verified),
    String(returned),
  ])
  const head = [
    'broker',
    'devices',
    'connection closed after',
    'seen to be gone after',
    'let in again',
  ]
  return plainTable([head, ...rows])
}
