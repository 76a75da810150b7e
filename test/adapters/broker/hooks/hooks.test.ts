/** The broker hooks: the same promises whichever broker asks, in whichever words. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { brokerKinds } from '../../../../src/adapters/broker/kinds.ts'
import { type Fleet, registerDevice, staff } from '../../../support/commands.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { escapes } from '../topic-escapes.ts'
import { askAs, brokersFile } from './ask-hooks.ts'
import type { Ask, Client, Contract } from './contract.ts'
import { contracts } from './contracts.ts'

const shared = useApp({ environment: { MOORING_BROKERS_FILE: brokersFile() } })

const clientOf = (device: Fleet, change: Partial<Client> = {}): Client => ({
  username: device.device_id,
  password: device.mqtt_password,
  clientId: device.device_id,
  ...change,
})

async function prepare(contract: Contract) {
  const app = shared()
  const ask: Ask = askAs(`http://127.0.0.1:${app.app.ports.operator}`, contract.kind)
  return { app, ask, device: await registerDevice(app) }
}

const deviceAt = ({ path }: Fleet, verb = '') =>
  path.replace('/commands', verb === '' ? '' : `/${verb}`)

/** Forms of topics of somebody else; RabbitMQ gets the same in its own form. */
const reaching = escapes().filter((each) => typeof each === 'string')

test('every kind of broker that asks hooks has a contract', () => {
  const asking = brokerKinds.filter(({ hooks }) => hooks.length > 0).map(({ name }) => name)
  assert.deepEqual(contracts.map(({ kind }) => kind).toSorted(), asking.toSorted())
})

for (const contract of contracts) {
  const { kind } = contract
  describe(`${kind} by its hooks`, () => {
    test('accepts a device with its secret, also over further connections', async () => {
      const { ask, device } = await prepare(contract)
      assert.equal(await contract.connect(ask, clientOf(device)), true)
      const clientId = `${device.device_id}:2`
      assert.equal(await contract.connect(ask, clientOf(device, { clientId })), true)
    })

    test('refuses a client without the secret, or without the client id', async () => {
      const { app, ask, device } = await prepare(contract)
      const other = await registerDevice(app)
      const wrong: readonly Partial<Client>[] = [
        { password: other.mqtt_password },
        { password: `${device.mqtt_password} ` },
        { password: '' },
        { username: '' },
        { username: 'admin' },
        { username: device.device_id.toUpperCase() },
        { username: `${device.device_id}\u0000` },
        { clientId: other.device_id },
        { clientId: '' },
        { clientId: '#' },
        { clientId: `x:${device.device_id}` },
        // Another workspace may have a device of this key, which would be disconnected by this one.
        { clientId: device.device_key },
      ]
      for (const change of wrong) {
        const isIn = await contract.connect(ask, clientOf(device, change))
        assert.equal(isIn, false, JSON.stringify(change))
      }
      assert.equal(await contract.connect(ask, clientOf(device)), true)
    })

    test('grants the topics that the rules allow', async () => {
      const { ask, device } = await prepare(contract)
      const { topic } = device
      const client = clientOf(device)
      for (const name of ['telemetry', 'state', 'ack', 'config/get']) {
        assert.equal(await contract.publish(ask, client, `${topic}/${name}`), true, name)
      }
      for (const filter of ['cmd', 'cmd/#', 'cmd/+', 'cmd/+/now', 'cmd/reboot', 'config/#']) {
        assert.equal(await contract.subscribe(ask, client, `${topic}/${filter}`), true, filter)
      }
      assert.equal(await contract.publish(ask, client, `${topic}/cmd`), false)
      const isShared = await contract.subscribe(ask, client, `$share/g/${topic}/cmd/#`)
      assert.equal(isShared, contract.lacksShared !== true)
    })

    test('grants no topic beyond them, however it is encoded', async () => {
      const { ask, device } = await prepare(contract)
      const client = clientOf(device)
      const { topic } = device
      const near = ['', '/', '/#', '/+', '/+/#', '/cmd/#/x', '/telemetry/#', '/+/reboot', '#', '+']
      const tried = [...near.map((end) => topic + end), '#', '+/#', '$SYS/#', '$CONTROL/#', '']
      for (const each of [...tried, ...reaching.filter((_, at) => at % 12 === 0)]) {
        assert.equal(await contract.subscribe(ask, client, each), false, `subscribe ${each}`)
        assert.equal(await contract.publish(ask, client, each), false, `publish ${each}`)
      }
    })

    test('follows a suspension, for connecting and for connected clients', async () => {
      const { app, ask, device } = await prepare(contract)
      const client = clientOf(device)
      const topic = `${device.topic}/telemetry`
      assert.equal(await contract.publish(ask, client, topic), true)
      const path = deviceAt(device, 'suspend')
      assert.equal((await app.call('POST', path, { as: staff(app), body: {} })).status, 200)
      await until('the suspension is received', async () => !(await contract.connect(ask, client)))
      assert.equal(await contract.publish(ask, client, topic), false)
      assert.equal(await contract.subscribe(ask, client, `${device.topic}/cmd`), false)
    })

    test('activates a device that connects for the first time, and logs the attempts', async () => {
      const { app, ask, device } = await prepare(contract)
      await contract.connect(ask, clientOf(device, { clientId: 'unknown' }))
      const askedAt = performance.now()
      await contract.connect(ask, clientOf(device))
      const tookMs = performance.now() - askedAt
      await until('it is active', async () => {
        const { body } = await app.call('GET', deviceAt(device), { as: staff(app) })
        return body.status === 'active'
      })
      const log = await until('both are logged', async () => {
        const path = deviceAt(device, 'connection-log')
        const { items } = (await app.call('GET', path, { as: staff(app) })).body
        return items.length >= 2 && (items as { accepted: boolean; reason: string | null }[])
      })
      // VerneMQ's contract asks in the words of both versions of MQTT; within two seconds that is
      // one CONNECT.
      const count = log.filter(({ accepted }) => accepted).length
      assert.ok(count === 1 || (count > 1 && tookMs > 2_000), `${count} in ${tookMs} ms`)
      assert.ok(log.some(({ reason }) => reason === 'client_id_invalid'))
    })
  })
}
