/** The part of the broker contract about sessions: takeovers, disconnects, and their reports. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConnectDecision } from '../../../src/adapters/broker/port.ts'
import type { Bench } from './broker-fixture.ts'
import { partialDisconnectContract } from './contract-disconnects.ts'
import { eventually } from './eventually.ts'
import { connected, durable, gets, publish, subscribe, VERSIONS } from './mqtt-clients.ts'
import { allow, type Credential } from './test-authority.ts'

function kindsOf({ authority }: Bench, credential: Credential): string[] {
  return authority.eventsOf(credential).map(({ kind }) => kind)
}

const endsOf = ({ authority }: Bench, credential: Credential): string[] =>
  authority.eventsOf(credential).flatMap((event) => (event.kind === 'closed' ? [event.end] : []))

function takeoverContract(bench: Bench): void {
  for (const version of VERSIONS) {
    it(`is taken over by its own principal, one after the other (v${version})`, async (t) => {
      const { authority, port, broker } = bench
      const credential = authority.add('ws_takeover')
      const old = await connected(t, port, credential, { protocolVersion: version })
      await connected(t, port, credential, { protocolVersion: version })
      await eventually(() => old.closed, 'the end of the old session')
      assert.equal(old.disconnectCode, version === 5 ? 0x8e : undefined)
      assert.deepEqual(kindsOf(bench, credential), ['opened', 'closed', 'opened'])
      const [first, closed, second] = authority.eventsOf(credential).map(({ session }) => session)
      assert.equal(first?.sessionId, closed?.sessionId)
      assert.deepEqual(endsOf(bench, credential), ['taken_over'])
      assert.ok((second?.incarnation ?? 0) > (first?.incarnation ?? Infinity))
      assert.deepEqual(broker.connections(credential.grant.principalId), [second])
    })

    it(`is never open twice, however many come at once (v${version})`, async (t) => {
      const { authority, port, broker } = bench
      const credential = authority.add('ws_takeover')
      const tries = Array.from({ length: 25 }, () =>
        connected(t, port, credential, { protocolVersion: version }).catch(() => undefined),
      )
      const clients = (await Promise.all(tries)).filter((client) => client !== undefined)
      await eventually(() => clients.filter(({ closed }) => !closed).length === 1, 'one client')
      const kinds = kindsOf(bench, credential)
      assert.ok(kinds.length % 2 === 1 && kinds.length >= 3)
      assert.ok(kinds.every((kind, index) => kind === (index % 2 === 0 ? 'opened' : 'closed')))
      assert.equal(broker.connections(credential.grant.principalId).length, 1)
    })
  }

  it('is not touched by the same client id of another principal', async (t) => {
    const { authority, port } = bench
    const credentials = ['ws_left', 'ws_right', 'ws_right'].map((workspace) => ({
      ...authority.add(workspace),
      clientId: 'the same',
    }))
    authority.override = async ({ username }) => {
      const found = credentials.find((credential) => credential.username === username)
      assert.ok(found)
      return { accepted: true, grant: found.grant }
    }
    t.after(() => (authority.override = undefined))
    const watched = await Promise.all(
      credentials.map((credential) => connected(t, port, credential, durable(4))),
    )
    for (const [index, { client, messages }] of watched.entries()) {
      const topic = `${credentials[index]?.grant.workspaceId}/x`
      assert.deepEqual(await subscribe({ ...watched[index]!, client, messages }, topic, 1), [1])
    }
    await publish(watched[0]!, 'ws_left/x', { qos: 1 }, 'left')
    await publish(watched[1]!, 'ws_right/x', { qos: 1 }, 'right')
    await Promise.all([
      gets(watched[0]!, 'ws_left/x=left'),
      gets(watched[1]!, 'ws_right/x=right'),
      gets(watched[2]!, 'ws_right/x=right'),
    ])
    assert.deepEqual(
      watched.map(({ closed, messages }) => [closed, messages.length]),
      [
        [false, 1],
        [false, 1],
        [false, 1],
      ],
    )
  })
}

function disconnectContract(bench: Bench): void {
  for (const version of VERSIONS) {
    const protocolVersion = version

    it(`is disconnected by the service with all others of its principal (v${version})`, async (t) => {
      const { authority, port, broker } = bench
      const [credential, other] = [authority.add('ws_cut'), authority.add('ws_cut')]
      const { principalId } = credential.grant
      const mine = await connected(t, port, credential, { protocolVersion })
      const clientId = `${credential.clientId}:2`
      const second = await connected(t, port, credential, { protocolVersion, clientId })
      const bystander = await connected(t, port, other, { protocolVersion })
      assert.equal(broker.connections(principalId).length, 2)
      assert.equal(await broker.disconnect(principalId, 'administrative'), 2)
      assert.deepEqual(broker.connections(principalId), [])
      assert.deepEqual(kindsOf(bench, credential), ['opened', 'opened', 'closed', 'closed'])
      await eventually(() => mine.closed && second.closed, 'both ends')
      assert.equal(mine.disconnectCode, version === 5 ? 0x98 : undefined)
      assert.equal(bystander.closed, false)
      assert.equal(await broker.disconnect(principalId, 'administrative'), 0)
      const back = await connected(t, port, credential, { protocolVersion })
      assert.equal(await broker.disconnect(principalId, 'not_authorized'), 1)
      await eventually(() => back.closed, 'the second disconnection')
      assert.equal(back.disconnectCode, version === 5 ? 0x87 : undefined)
    })

    it(`delivers messages that arrived while its client was offline (v${version})`, async (t) => {
      const { authority, port, broker } = bench
      const credential = authority.add('ws_durable')
      const topic = `ws_durable/${credential.username}`
      const first = await connected(t, port, credential, durable(version))
      await subscribe(first, topic, 1)
      await first.client.endAsync()
      await authority.closed(credential)
      const message = { topic, payload: Buffer.from('missed'), qos: 1, retain: false } as const
      await broker.publish(message)
      const second = await connected(t, port, credential, durable(version))
      await gets(second, `${topic}=missed`)
    })

    it(`delivers nothing after a disconnection, whether its client was online or offline (v${version})`, async (t) => {
      const { authority, port, broker } = bench
      for (const live of [true, false]) {
        const credential = authority.add('ws_durable')
        const topic = `ws_durable/${credential.username}`
        const payload = Buffer.from('queued')
        const first = await connected(t, port, credential, durable(version))
        await subscribe(first, topic, 1)
        if (!live) {
          await first.client.endAsync()
          await authority.closed(credential)
          await broker.publish({ topic, payload, qos: 1, retain: false })
        }
        const disconnected = await broker.disconnect(credential.grant.principalId, 'administrative')
        assert.equal(disconnected, live ? 1 : 0)
        await broker.publish({ topic, payload, qos: 1, retain: false })
        const second = await connected(t, port, credential, durable(version))
        await subscribe(second, topic, 1)
        await publish(second, topic, { qos: 1 }, 'fresh')
        await gets(second, `${topic}=fresh`)
        assert.deepEqual(second.messages, [`${topic}=fresh`])
      }
    })

    it(`resumes with its present rights, not those of before (v${version})`, async (t) => {
      const { authority, port, broker } = bench
      const credential = authority.add('ws_narrow')
      const first = await connected(t, port, credential, durable(version))
      await subscribe(first, ['ws_narrow/open', 'ws_narrow/secret'], 1)
      await first.client.endAsync()
      await authority.closed(credential)
      const say = (topic: string, payload: string) =>
        broker.publish({ topic, payload: Buffer.from(payload), qos: 1, retain: false })
      await say('ws_narrow/secret', 'queued')
      await say('ws_narrow/open', 'queued')
      credential.grant = { ...credential.grant, rules: [allow('ws_narrow/open')] }
      const second = await connected(t, port, credential, durable(version))
      await gets(second, 'ws_narrow/open=queued')
      await say('ws_narrow/secret', 'live')
      await say('ws_narrow/open', 'live')
      await gets(second, 'ws_narrow/open=live')
      assert.deepEqual(second.messages, ['ws_narrow/open=queued', 'ws_narrow/open=live'])
    })

    it(`leaves its will when disconnected, unless it lost its rights (v${version})`, async (t) => {
      const { authority, port, broker } = bench
      const spy = await connected(t, port, authority.add('ws_last'), { protocolVersion })
      await subscribe(spy, 'ws_last/#', 1)
      for (const reason of ['administrative', 'not_authorized'] as const) {
        const credential = authority.add('ws_last')
        const topic = `ws_last/${reason}/${version}`
        const will = { topic, payload: Buffer.from('gone'), qos: 1 as const, retain: false }
        await connected(t, port, credential, { protocolVersion, will })
        await broker.disconnect(credential.grant.principalId, reason)
      }
      const payload = Buffer.from('end')
      await broker.publish({ topic: 'ws_last/end', payload, qos: 1, retain: false })
      await gets(spy, 'ws_last/end=end')
      assert.deepEqual(spy.messages, [`ws_last/administrative/${version}=gone`, 'ws_last/end=end'])
    })
  }

  it('does not open on a decision from before a disconnect', async (t) => {
    const { authority, port, broker } = bench
    const credential = authority.add('ws_cut')
    const { grant } = credential
    const asked: ((decision: ConnectDecision) => void)[] = []
    authority.override = () => new Promise((resolve) => asked.push(resolve))
    t.after(() => (authority.override = undefined))
    const connecting = connected(t, port, credential, { protocolVersion: 4 })
    connecting.catch(() => {})
    await eventually(() => asked.length === 1, 'the question')
    await broker.disconnect(grant.principalId, 'not_authorized')
    asked[0]?.({ accepted: true, grant })
    await eventually(() => asked.length === 2, 'the question to be asked again')
    asked[1]?.({ accepted: false, reason: 'bad_credentials' })
    await assert.rejects(connecting)
    assert.deepEqual(authority.eventsOf(credential), [])
  })

  it('that has ended leaves no retained messages if it lost its rights', async (t) => {
    const { authority, port, broker } = bench
    const credential = authority.add('ws_kept')
    const writer = await connected(t, port, credential, { protocolVersion: 4 })
    await publish(writer, 'ws_kept/a', { qos: 1, retain: true }, 'kept')
    await broker.disconnect(credential.grant.principalId, 'administrative')
    const reader = await connected(t, port, authority.add('ws_kept'), { protocolVersion: 4 })
    await subscribe(reader, 'ws_kept/#', 1)
    await gets(reader, 'ws_kept/a=kept')
    await broker.disconnect(credential.grant.principalId, 'not_authorized')
    const late = await connected(t, port, authority.add('ws_kept'), { protocolVersion: 4 })
    await subscribe(late, 'ws_kept/#', 1)
    await publish(late, 'ws_kept/b', { qos: 1 }, 'live')
    await gets(late, 'ws_kept/b=live')
    assert.deepEqual(late.messages, ['ws_kept/b=live'])
  })
}

export function sessionContract(bench: Bench): void {
  describe('a session', () => {
    takeoverContract(bench)
    disconnectContract(bench)
    partialDisconnectContract(bench)

    it('was opened first and closed last, each once, throughout these tests', async () => {
      const { authority, broker } = bench
      const live = () => broker.connections().length
      await eventually(() => live() === 0, 'the end of all sessions')
      const bySession = Map.groupBy(authority.events, ({ session }) => session.sessionId)
      assert.ok(bySession.size > 100)
      for (const events of bySession.values()) {
        const kinds = events.map(({ kind }) => kind)
        assert.equal(kinds.indexOf('opened'), 0)
        assert.equal(kinds.indexOf('closed'), kinds.length - 1)
        assert.equal(kinds.lastIndexOf('opened'), 0)
      }
    })
  })
}
