/** The hooks on a listener of their own, with an authority that a test chooses. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Brokers } from '../../../../src/adapters/broker/broker-entry.ts'
import type { BrokerHookOptions } from '../../../../src/adapters/broker/hooks/hook-handler.ts'
import { createHookListener } from '../../../../src/adapters/broker/hooks/hook-listener.ts'
import { brokerKinds } from '../../../../src/adapters/broker/kinds.ts'
import type { RemoteAuthority } from '../../../../src/adapters/broker/external-port.ts'
import type { ConnectDecision, TopicRule } from '../../../../src/adapters/broker/port.ts'
import { brokers } from './ask-hooks.ts'

const granted = (
  rules: readonly TopicRule[],
  expiresAt: number | null,
  mayRetain: boolean | undefined,
): ConnectDecision => ({
  accepted: true,
  grant: {
    principalId: 'u',
    workspaceId: 'ws',
    credentialVersion: 1,
    topicPrefix: 'u',
    isFirst: false,
    expiresAt,
    mayRetain,
    rules,
  },
})

const nothing: ConnectDecision = { accepted: false, reason: 'bad_credentials' }

/** Lets `u` in with these rules: any other refusal is one of the hooks. */
export function letting(
  rules: readonly TopicRule[],
  expiresAt: number | null = null,
  mayRetain?: boolean,
) {
  const decide = async (name: string | undefined, clientId: string): Promise<ConnectDecision> =>
    name === 'u' && clientId !== '' ? granted(rules, expiresAt, mayRetain) : nothing
  const authority: RemoteAuthority = {
    connect: ({ username, clientId }) => decide(username, clientId),
    authorize: decide,
    stillGives: () => false,
    refused() {},
    admitted() {},
  }
  return authority
}

export const generous = letting([{ action: 'pubsub', topic: '#', permission: 'allow' }])

type Options = Omit<BrokerHookOptions, 'kinds'>

/** A step without a request to the hook is not found there. */
export async function listenForHooks(options: Options): Promise<Server> {
  const hooks = createHookListener({
    kinds: brokerKinds,
    ...options,
  })
  const server = createServer((request, response) => {
    if (!hooks(request, response)) response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port

export async function listen(t: TestContext, options: Partial<Options> = {}) {
  const listeners: Parameters<Brokers['onChange']>[0][] = []
  let present = brokers as ReturnType<Brokers['present']>
  const received: string[] = []
  const server = await listenForHooks({
    brokers: { present: () => present, onChange: (listener) => void listeners.push(listener) },
    authority: generous,
    warn: (message, fields) => void received.push(`${message} ${JSON.stringify(fields)}`),
    ...options,
  })
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const change = (to: ReturnType<Brokers['present']>): void => {
    present = to
    for (const listener of listeners) listener(to)
  }
  return { origin: `http://127.0.0.1:${portOf(server)}`, received, change }
}
