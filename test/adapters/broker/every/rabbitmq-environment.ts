/**
 * RabbitMQ, which asks the hooks who may what and is administered by its adapter, for the checks of
 * every broker.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { BrokerEntry } from '../../../../src/adapters/broker/broker-entry.ts'
import type { RemoteAuthority } from '../../../../src/adapters/broker/external-port.ts'
import { createRabbitmq } from '../../../../src/adapters/broker/rabbitmq/admin.ts'
import { type RabbitmqHooks, startRabbitmq } from '../start-rabbitmq.ts'
import { listenForHooks, portOf } from '../hooks/listen-hooks.ts'
import { Fleet } from './fleet.ts'
import type { BrokerEnvironment } from './environment.ts'

interface HookServer {
  hooks: RabbitmqHooks
  stop(): Promise<void>
}

/** The hooks of the operator listener over an authority, for one broker named `rabbitmq`. */
async function startHooks(authority: RemoteAuthority): Promise<HookServer> {
  const secret = randomBytes(24).toString('base64url')
  const broker: BrokerEntry = { name: 'rabbitmq', kind: 'rabbitmq', hook_secrets: [secret] }
  const brokers = { present: () => [broker], onChange: () => {} }
  const server = await listenForHooks({ brokers, authority, warn: () => {} })
  const base = `http://any:${secret}@127.0.0.1:${portOf(server)}/hooks/rabbitmq/rabbitmq`
  return {
    hooks: {
      user: `${base}/user`,
      vhost: `${base}/vhost`,
      resource: `${base}/resource`,
      topic: `${base}/topic`,
    },
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

class RemoteFleet extends Fleet implements RemoteAuthority {
  stillGives = (): boolean => false
  admitted(): void {}
}

export async function rabbitmqEnvironment(): Promise<BrokerEnvironment> {
  const fleet = new RemoteFleet()
  const server = await startHooks(fleet)
  const program = await startRabbitmq(server.hooks)
  const { url, username, password } = program
  const broker = createRabbitmq({
    name: 'rabbitmq',
    url,
    username,
    password,
    authorize: (name, clientId) => fleet.authorize(name, clientId),
  })
  broker.start?.()
  const revoke = async (name: string): Promise<number> => {
    await broker.purge?.(name)
    return await broker.disconnect(name, 'not_authorized')
  }
  return {
    port: program.port,
    add: (workspaceId, rules) => Promise.resolve(fleet.add(workspaceId, rules)),
    async regrant(credential, rules) {
      credential.grant = { ...credential.grant, rules }
      // A connection caches its rights, so a client that lost some is disconnected.
      await broker.disconnect(credential.username, 'administrative')
    },
    deny: ({ username: name }) => void fleet.suspended.add(name),
    suspend({ username: name }) {
      fleet.suspended.add(name)
      return revoke(name)
    },
    resume({ username: name }) {
      fleet.suspended.delete(name)
      return Promise.resolve()
    },
    async remove({ username: name }) {
      fleet.credentials.delete(name)
      await revoke(name)
    },
    async renew({ username: name }) {
      fleet.renew(name)
      await broker.disconnect(name, 'administrative')
    },
    kick: ({ username: name }) => broker.disconnect(name, 'administrative'),
    endOlder: ({ username: name }, newer) => broker.disconnect(name, 'administrative', newer),
    verify: ({ username: name }) => broker.verify(name),
    connections: ({ username: name }) => broker.connections(name),
    async publish({ topic, payload }) {
      // The MQTT plugin delivers what has no QoS of its own with that of the subscription.
      const message = {
        properties: { delivery_mode: 2 },
        routing_key: topic.replaceAll('/', '.'),
        payload: payload.toString('base64'),
        payload_encoding: 'base64',
      }
      const key = Buffer.from(`${username}:${password}`).toString('base64')
      const response = await fetch(`${url}/exchanges/%2F/amq.topic/publish`, {
        method: 'POST',
        headers: { authorization: `Basic ${key}` },
        body: JSON.stringify(message),
      })
      assert.equal(response.status, 200, await response.text())
    },
    restart: () => program.restart(),
    async stop() {
      await broker.stop?.()
      await program.stop()
      await server.stop()
    },
  }
}
