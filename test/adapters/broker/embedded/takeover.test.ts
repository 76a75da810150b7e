/** Changes during the decision about a CONNECT: the newest state decides. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connected, publish, refusal } from '../mqtt-clients.ts'
import { startEmbedded } from '../start-embedded.ts'
import { allow } from '../test-authority.ts'

const options = { protocolVersion: 5 } as const

/** A client with a session; `change` happens when that ends for the next one. */
async function start(t: TestContext, change: () => void) {
  const started = await startEmbedded(t)
  const { authority, port } = started
  const credential = authority.add('ws')
  await connected(t, port, credential, options)
  const sessionClosed = authority.sessionClosed.bind(authority)
  authority.sessionClosed = (...given) => {
    sessionClosed(...given)
    change()
  }
  return { ...started, credential }
}

test('a secret that is revoked meanwhile opens no session', async (t) => {
  const { authority, broker, port, credential } = await start(t, () =>
    authority.credentials.delete(credential.username),
  )
  assert.equal(await refusal(t, port, credential, options), 0x86)
  assert.equal(authority.eventsOf(credential).filter(({ kind }) => kind === 'opened').length, 1)
  assert.deepEqual(broker.connections(), [])
})

test('rules that are narrowed meanwhile hold from its first message on', async (t) => {
  const { credential, broker, port } = await start(t, () => {
    credential.grant = { ...credential.grant, rules: [allow('ws/b')] }
  })
  const client = await connected(t, port, credential, options)
  assert.deepEqual(broker.connections()[0]?.grant.rules, [allow('ws/b')])
  assert.equal(await publish(client, 'ws/a', { qos: 1 }), 0x87)
  assert.equal(await publish(client, 'ws/b', { qos: 1 }), 0)
})

test('several changes in a row, while it is being decided, only delay it', async (t) => {
  const { authority, broker, port } = await startEmbedded(t)
  const credential = authority.add('ws')
  const connect = authority.connect.bind(authority)
  let changes = 0
  authority.connect = async (request) => {
    const decision = await connect(request)
    // An approval alone may be three changes.
    if (changes < 5) {
      changes += 1
      await broker.regrant(credential.username, [])
    }
    return decision
  }
  await connected(t, port, credential, options)
  assert.equal(changes, 5)
})
