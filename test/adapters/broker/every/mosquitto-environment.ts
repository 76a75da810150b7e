/** Mosquitto with dynamic security, kept by its adapter, for the checks of every broker. */
import assert from 'node:assert/strict'
import mqtt from 'mqtt'
import { BrokerFailure } from '../../../../src/adapters/broker/admin/failure.ts'
import { createMosquitto } from '../../../../src/adapters/broker/mosquitto-dynsec/admin.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { startMosquitto } from '../start-mosquitto.ts'
import { Fleet } from './fleet.ts'
import type { BrokerEnvironment } from './environment.ts'

export async function mosquittoEnvironment(): Promise<BrokerEnvironment> {
  const fleet = new Fleet()
  const program = await startMosquitto()
  const { url, username, password } = program
  const broker = createMosquitto({
    name: 'mosquitto',
    url,
    username,
    password,
    authorize: (name, clientId) => fleet.authorize(name, clientId),
    isPrincipal: (name) => name.startsWith('dev_'),
    onFailure(error) {
      // A check starts it again.
      const isAway = error instanceof BrokerFailure && error.kind === 'unreachable'
      if (!isAway) assert.fail(String(error))
    },
  })
  broker.start?.()
  return {
    port: program.port,
    async add(workspaceId, rules) {
      const credential = fleet.add(workspaceId, rules)
      await broker.setPassword(credential.username, credential.password, newUuid())
      return credential
    },
    async regrant(credential, rules) {
      credential.grant = { ...credential.grant, rules }
      await broker.regrant(credential.username)
    },
    deny: ({ username: name }) => void fleet.suspended.add(name),
    async suspend({ username: name }) {
      fleet.suspended.add(name)
      return await broker.disconnect(name, 'not_authorized')
    },
    async resume({ username: name }) {
      fleet.suspended.delete(name)
      await broker.regrant(name)
    },
    async remove({ username: name }) {
      fleet.credentials.delete(name)
      await broker.disconnect(name, 'not_authorized')
    },
    async renew({ username: name }) {
      await broker.setPassword(name, fleet.renew(name), newUuid())
    },
    kick: ({ username: name }) => broker.disconnect(name, 'administrative'),
    endOlder: () => assert.fail('a newer password ends all sessions when it is set'),
    verify: ({ username: name }) => broker.verify(name),
    connections: ({ username: name }) => broker.connections(name),
    async publish({ topic, payload, ...options }) {
      const service = await mqtt.connectAsync(url, { username, password, protocolVersion: 5 })
      await service.publishAsync(topic, payload, options)
      await service.endAsync()
    },
    restart: () => program.restart(),
    async stop() {
      await broker.stop?.()
      await program.stop()
    },
  }
}
