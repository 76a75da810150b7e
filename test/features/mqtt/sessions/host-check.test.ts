/** The hosts that live sessions have come by are not lost on the way. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import mqtt from 'mqtt'
import { EmbeddedBroker } from '../../../../src/adapters/broker/embedded/broker.ts'
import { createChangeFeed } from '../../../../src/platform/database/change-feed.ts'
import type { Db } from '../../../../src/platform/database/connect.ts'
import {
  type DomainOfHost,
  refOfName,
} from '../../../../src/features/domains/ownership/directory.ts'
import { decideByHosts } from '../../../../src/features/mqtt/credentials/deciders.ts'
import { HostCheck } from '../../../../src/features/mqtt/sessions/host-check.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { eventually } from '../../../adapters/broker/eventually.ts'
import { allow, type Credential, TestAuthority } from '../../../adapters/broker/test-authority.ts'

const HOST = 'mqtt.example.org'

async function connect(t: TestContext, port: number | undefined, credential: Credential) {
  const { username, password, clientId } = credential
  const client = mqtt.connect(`ws://127.0.0.1:${port}/mqtt`, {
    username,
    password,
    clientId,
    reconnectPeriod: 0,
    wsOptions: { headers: { host: HOST } },
  })
  t.after(() => client.end(true))
  client.on('error', () => {})
  await new Promise((resolve) => client.once('connect', resolve))
}

test('a session that got other rules before it opened still ends with its host', async (t) => {
  const db = { afterCommit: (done: () => void) => done() } as Db
  const feed = createChangeFeed({ db, clock: systemClock })
  let owner: DomainOfHost | undefined
  const domains = { refOf: refOfName }
  const byHosts = decideByHosts({ find: () => owner })
  const authority = new TestAuthority()
  const broker = new EmbeddedBroker({
    host: '127.0.0.1',
    ports: { ws: 0 },
    log: { warn() {}, error() {} },
  })
  const hosts = new HostCheck({ broker, domains, decide: byHosts, feed, log: () => {} })
  authority.sessionOpened = (session) => hosts.opened({ session, workspaceId: newUuid() })
  authority.sessionClosed = (session) => hosts.closed({ session })
  await broker.start(authority)
  t.after(() => broker.stop())
  const credential = authority.add('ws')
  // Right after the CONNECT is decided, and before its session opens.
  const decide = authority.connect.bind(authority)
  authority.connect = (request) => {
    queueMicrotask(() => void broker.regrant(credential.grant.principalId, [allow('ws/other')]))
    return decide(request)
  }
  await connect(t, broker.ports.ws, credential)
  assert.deepEqual(broker.connections()[0]?.grant.rules, [allow('ws/other')])
  owner = { domainId: newUuid(), workspaceId: newUuid(), purpose: 'mqtt', status: 'verified' }
  feed.applyAfterCommit(db, 'domain', refOfName(HOST))
  await eventually(() => broker.connections().length === 0, 'the end of the session')
})
