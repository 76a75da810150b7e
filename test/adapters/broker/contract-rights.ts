/** The part of the broker contract about rules that change under sessions that live or wait. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { TopicRule } from '../../../src/adapters/broker/port.ts'
import type { Bench } from './broker-fixture.ts'
import { eventually } from './eventually.ts'
import {
  connected,
  durable,
  gets,
  publish,
  subscribe,
  type Version,
  VERSIONS,
  type Watched,
} from './mqtt-clients.ts'
import { allow, type Credential } from './test-authority.ts'

const deny = (topic: string): TopicRule => ({ action: 'pubsub', topic, permission: 'deny' })

/** Says something as the service, on a topic that was lost or one that was kept. */
const says = ({ broker }: Bench, topic: string, payload: string): Promise<void> =>
  broker.publish({ topic, payload: Buffer.from(payload), qos: 1, retain: false })

/** The grant of the authority at the next CONNECT, and the rights of the sessions from now on. */
function regrant({ broker }: Bench, credential: Credential, rules: TopicRule[]): Promise<number> {
  credential.grant = { ...credential.grant, rules }
  return broker.regrant(credential.grant.principalId, rules)
}

async function sets(bench: Bench, t: TestContext, version: Version, workspace: string) {
  const { authority, port } = bench
  const credential = authority.add(workspace)
  const session = await connected(t, port, credential, durable(version))
  return { credential, session }
}

const ended = async ({ authority }: Bench, credential: Credential, { client }: Watched) => {
  const before = authority.eventsOf(credential).filter(({ kind }) => kind === 'closed').length
  await client.endAsync()
  await authority.closed(credential, before + 1)
}

function liveRights(bench: Bench, version: Version): void {
  it(`narrows what a live session may publish, without ending it (v${version})`, async (t) => {
    const { authority, port } = bench
    const { credential, session } = await sets(bench, t, version, 'ws_less')
    const spy = await connected(t, port, authority.add('ws_less'), { protocolVersion: version })
    await subscribe(spy, 'ws_less/#', 1)
    const second = await connected(t, port, credential, {
      protocolVersion: version,
      clientId: `${credential.clientId}:2`,
    })
    assert.equal(await regrant(bench, credential, [allow('ws_less/open')]), 2)
    for (const each of [session, second]) {
      for (const qos of [1, 2] as const) {
        const code = await publish(each, 'ws_less/lost', { qos, retain: true }, 'lost')
        assert.equal(code, version === 5 ? 0x87 : 0)
      }
      await publish(each, 'ws_less/lost', { qos: 0 }, 'lost')
      assert.equal(await publish(each, 'ws_less/open', { qos: 1 }, 'open'), 0)
    }
    await eventually(() => spy.messages.length >= 2, 'both messages that are allowed')
    assert.deepEqual(spy.messages, ['ws_less/open=open', 'ws_less/open=open'])
    const denied = authority.eventsOf(credential).filter(({ kind }) => kind === 'denied')
    assert.equal(denied.length, 6)
    assert.deepEqual([session.closed, second.closed], [false, false])
    assert.equal(await regrant(bench, credential, [allow('ws_less/#')]), 2)
    assert.equal(await publish(session, 'ws_less/lost', { qos: 1 }, 'back'), 0)
    await gets(spy, 'ws_less/lost=back')
  })

  it(`narrows what reaches a live session, whatever its filters are (v${version})`, async (t) => {
    const { authority, port } = bench
    for (const options of [{ protocolVersion: version }, durable(version)]) {
      const credential = authority.add('ws_deaf')
      const session = await connected(t, port, credential, options)
      await subscribe(session, ['ws_deaf/wide/#', 'ws_deaf/lost'], 1)
      const rules = [deny('ws_deaf/wide/secret'), allow('ws_deaf/wide/#'), allow('ws_deaf/mark')]
      assert.equal(await regrant(bench, credential, rules), 1)
      await says(bench, 'ws_deaf/wide/secret', '1')
      await says(bench, 'ws_deaf/lost', '1')
      await says(bench, 'ws_deaf/wide/open', '1')
      await gets(session, 'ws_deaf/wide/open=1')
      const [refused] = await subscribe(session, 'ws_deaf/lost', 1)
      assert.equal(refused, version === 5 ? 0x87 : 0x80)
      assert.deepEqual(await subscribe(session, 'ws_deaf/mark', 1), [1])
      await regrant(bench, credential, [allow('ws_deaf/#')])
      await says(bench, 'ws_deaf/wide/secret', '2')
      await gets(session, 'ws_deaf/wide/secret=2')
      assert.deepEqual(session.messages, ['ws_deaf/wide/open=1', 'ws_deaf/wide/secret=2'])
      assert.equal(session.closed, false)
    }
  })

  it(`does not deliver retained messages to a client that has lost the right (v${version})`, async (t) => {
    const { authority, port } = bench
    const writer = await connected(t, port, authority.add('ws_retained'), {
      protocolVersion: version,
    })
    for (const topic of ['lost', 'open']) {
      await publish(writer, `ws_retained/r/${topic}`, { qos: 1, retain: true }, 'kept')
    }
    const { credential, session } = await sets(bench, t, version, 'ws_retained')
    await subscribe(session, 'ws_retained/other', 1)
    const rules = [allow('ws_retained/r/open'), allow('ws_retained/other')]
    await regrant(bench, credential, rules)
    assert.deepEqual(await subscribe(session, ['ws_retained/r/open'], 1), [1])
    await gets(session, 'ws_retained/r/open=kept')
    const wide = await subscribe(session, 'ws_retained/r/+', 1)
    assert.deepEqual(wide, [version === 5 ? 0x87 : 0x80])
    assert.deepEqual(session.messages, ['ws_retained/r/open=kept'])
  })
}

function storedRights(bench: Bench, version: Version): void {
  it(`reaches what is queued for an offline client, permanently (v${version})`, async (t) => {
    const { port } = bench
    const { credential, session } = await sets(bench, t, version, 'ws_away')
    await subscribe(session, ['ws_away/#'], 1)
    await ended(bench, credential, session)
    await says(bench, 'ws_away/lost', 'before')
    await says(bench, 'ws_away/open', 'before')
    assert.equal(await regrant(bench, credential, [allow('ws_away/open')]), 0)
    await says(bench, 'ws_away/lost', 'while')
    await regrant(bench, credential, [allow('ws_away/#')])
    await says(bench, 'ws_away/lost', 'after')
    const back = await connected(t, port, credential, durable(version))
    await gets(back, 'ws_away/lost=after')
    assert.deepEqual([...new Set(back.messages)], ['ws_away/open=before', 'ws_away/lost=after'])
  })

  it(`keeps unacknowledged messages from the next session (v${version})`, async (t) => {
    const { port } = bench
    const { credential, session } = await sets(bench, t, version, 'ws_flight')
    await subscribe(session, ['ws_flight/lost', 'ws_flight/open'], 1)
    // Nothing is acknowledged from here on, as by a client that has crashed.
    session.client.handleMessage = () => {}
    await says(bench, 'ws_flight/lost', '1')
    await says(bench, 'ws_flight/open', '1')
    await gets(session, 'ws_flight/lost=1')
    await regrant(bench, credential, [allow('ws_flight/open')])
    session.client.stream.destroy()
    await bench.authority.closed(credential)
    const back = await connected(t, port, credential, durable(version))
    await says(bench, 'ws_flight/open', '2')
    await gets(back, 'ws_flight/open=2')
    assert.deepEqual([...new Set(back.messages)], ['ws_flight/open=1', 'ws_flight/open=2'])
  })

  it(`keeps a subscription while its rights are narrowed and widened (v${version})`, async (t) => {
    const { port } = bench
    const { credential, session } = await sets(bench, t, version, 'ws_widened')
    await subscribe(session, ['ws_widened/#'], 1)
    await ended(bench, credential, session)
    credential.grant = { ...credential.grant, rules: [allow('ws_widened/open')] }
    const back = await connected(t, port, credential, durable(version))
    await says(bench, 'ws_widened/lost', '1')
    await says(bench, 'ws_widened/open', '1')
    await gets(back, 'ws_widened/open=1')
    await regrant(bench, credential, [allow('ws_widened/#')])
    await says(bench, 'ws_widened/lost', '2')
    await gets(back, 'ws_widened/lost=2')
    assert.deepEqual([...new Set(back.messages)], ['ws_widened/open=1', 'ws_widened/lost=2'])
  })
}

function willRights(bench: Bench, version: Version): void {
  it(`checks a will by the rules at its end (v${version})`, async (t) => {
    const { authority, port } = bench
    const spy = await connected(t, port, authority.add('ws_farewell'), { protocolVersion: version })
    await subscribe(spy, 'ws_farewell/#', 1)
    for (const topic of ['ws_farewell/lost', 'ws_farewell/open']) {
      const credential = authority.add('ws_farewell')
      const will = { topic, payload: Buffer.from('gone'), qos: 1 as const, retain: false }
      const options = { protocolVersion: version, will }
      const session = await connected(t, port, credential, options)
      await regrant(bench, credential, [allow('ws_farewell/open')])
      session.client.stream.destroy()
      await authority.closed(credential)
    }
    await says(bench, 'ws_farewell/end', 'x')
    await gets(spy, 'ws_farewell/end=x')
    assert.deepEqual(spy.messages, ['ws_farewell/open=gone', 'ws_farewell/end=x'])
  })
}

export function rightsContract(bench: Bench): void {
  describe('a change of rules', () => {
    for (const version of VERSIONS) {
      liveRights(bench, version)
      storedRights(bench, version)
      willRights(bench, version)
    }

    it('reaches a client whose CONNECT was decided by the old ones', async (t) => {
      const { authority, port, broker } = bench
      const credential = authority.add('ws_late')
      const old = credential.grant
      let asked = 0
      authority.override = async () => {
        asked += 1
        if (asked === 1) await regrant(bench, credential, [allow('ws_late/open')])
        return { accepted: true, grant: asked === 1 ? old : credential.grant }
      }
      t.after(() => (authority.override = undefined))
      const session = await connected(t, port, credential, { protocolVersion: 5 })
      assert.equal(await publish(session, 'ws_late/lost', { qos: 1 }), 0x87)
      assert.equal(asked, 2)
      const [live] = broker.connections(old.principalId)
      assert.deepEqual(live?.grant.rules, [allow('ws_late/open')])
    })

    it('concerns no other client, and is refused whole when it is malformed', async (t) => {
      const { authority, port, broker } = bench
      const [mine, other] = [authority.add('ws_whole'), authority.add('ws_whole')]
      const [session, bystander] = await Promise.all(
        [mine, other].map((each) => connected(t, port, each, { protocolVersion: 5 })),
      )
      const wrong = [allow('ws_whole/a'), allow('ws_whole/#/b')]
      await assert.rejects(broker.regrant(mine.grant.principalId, wrong))
      assert.equal(await publish(session!, 'ws_whole/b', { qos: 1 }), 0)
      assert.equal(await regrant(bench, mine, []), 1)
      assert.equal(await publish(session!, 'ws_whole/b', { qos: 1 }), 0x87)
      assert.equal(await publish(bystander!, 'ws_whole/b', { qos: 1 }), 0)
      assert.equal(await broker.regrant('dev_of_nobody', []), 0)
    })
  })
}
