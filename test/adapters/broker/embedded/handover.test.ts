/** A slug that a new workspace has after another one is gone: nothing of the old one is left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connected, gets, publish, subscribe } from '../mqtt-clients.ts'
import { startEmbedded } from '../start-embedded.ts'
import type { Credential, TestAuthority } from '../test-authority.ts'

/** A principal of a workspace whose first level is `acme`. */
function ofAcme(authority: TestAuthority, workspaceId: string): Credential {
  const rules = [{ action: 'pubsub', topic: 'acme/#', permission: 'allow' }] as const
  const credential = authority.add(workspaceId, [...rules])
  credential.grant = { ...credential.grant, topicPrefix: `acme/${credential.username}` }
  return credential
}

test('messages that a workspace has retained do not reach the next one with its slug', async (t) => {
  const { authority, broker, port } = await startEmbedded(t)
  const options = { protocolVersion: 5 } as const
  const old = await connected(t, port, ofAcme(authority, 'old'), options)
  const other = await connected(t, port, authority.add('acme-2'), options)
  assert.equal(await publish(old, 'acme/sn1/state', { qos: 1, retain: true }, 'old'), 0)
  assert.equal(await publish(other, 'acme-2/state', { qos: 1, retain: true }, 'kept'), 0)
  const payload = Buffer.from('of the service')
  await broker.publish({ topic: 'acme/sn1/config/meta', payload, qos: 1, retain: true })

  const same = await connected(t, port, ofAcme(authority, 'old'), options)
  await subscribe(same, 'acme/#', 1)
  await gets(same, 'acme/sn1/state=old')
  await old.client.endAsync(true)
  await same.client.endAsync(true)

  const next = await connected(t, port, ofAcme(authority, 'new'), options)
  await subscribe(next, 'acme/#', 1)
  await publish(next, 'acme/mark', { qos: 1 }, 'mark')
  await gets(next, 'acme/mark=mark')
  assert.deepEqual(next.messages, ['acme/mark=mark'])
  await subscribe(other, 'acme-2/#', 1)
  await gets(other, 'acme-2/state=kept')
})
