/** Shared subscriptions, under the same rules as all others. MQTT 5.0, section 4.8.2. */
import assert from 'node:assert/strict'
import {
  ALL,
  allow,
  conformanceOfBoth,
  FIVE,
  type Peer,
  property,
  type Fixture,
  valueOf,
  valuesOf,
} from './conforms.ts'
import { subscribePacket, type Wanted } from './packets.ts'

const share = (fixture: Fixture, rest: string, group = 'group'): string =>
  `$share/${group}/${fixture.topic(rest)}`

async function member(fixture: Fixture, ...filters: Wanted[]): Promise<Peer> {
  const peer = await fixture.connect()
  await peer.subscribe(...filters)
  return peer
}

/** How many messages have come to each, once there are so many in all. */
async function countsOf(members: Peer[], total: number): Promise<number[]> {
  const counts = members.map(() => 0)
  const end = Date.now() + 20_000
  while (counts.reduce((sum, count) => sum + count, 0) < total) {
    assert.ok(Date.now() < end, `${String(counts)} of ${total} messages`)
    for (const [index, peer] of members.entries()) {
      for (const { id, qos } of peer.inbox.splice(0)) {
        counts[index] = (counts[index] ?? 0) + 1
        if (qos === 1) peer.acknowledge('PUBACK', id)
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return counts
}

conformanceOfBoth('shared subscriptions', {}, (conforms) => {
  conforms('each message of a group is delivered to one of its sessions', ALL, async (fixture) => {
    const members = [
      await member(fixture, share(fixture, '#')),
      await member(fixture, share(fixture, '#')),
      await member(fixture, share(fixture, '#')),
    ]
    const plain = await member(fixture, fixture.topic('#'))
    const other = await member(fixture, share(fixture, '#', 'other'))
    const writer = await fixture.connect()
    for (let count = 0; count < 30; count += 1) {
      await writer.published({ topic: fixture.topic(`t${count}`) })
    }
    const counts = await countsOf(members, 30)
    assert.ok(
      counts.every((count) => count > 0),
      String(counts),
    )
    assert.deepEqual(await countsOf([plain, other], 60), [30, 30])
    for (const peer of [...members, plain, other]) await peer.quiet()
  })

  conforms('a CONNACK does not deny shared subscriptions', FIVE, async (fixture) => {
    const { connack } = await fixture.connect()
    const available = valueOf(connack, 'sharedAvailable') as number | undefined
    assert.ok([undefined, 1].includes(available))
  })

  conforms('a shared filter has a group and a filter behind it', ALL, async (fixture) => {
    for (const wrong of [
      '$share/',
      '$share//a',
      '$share/a',
      '$share/a/',
      '$share/a+/b',
      '$share/#/b',
    ]) {
      const peer = await fixture.connect({ as: fixture.credential(allow('#')) })
      peer.send(subscribePacket(fixture.version, 1, [wrong]))
      const [first] = await peer.some(1)
      // By the SUBACK of this filter, or by the end of the connection.
      const code = first?.codes[0] ?? 0x82
      assert.ok(code >= 0x80, wrong)
    }
  })

  conforms('a shared subscription has the rights of its filter alone', FIVE, async (fixture) => {
    const reader = await fixture.connect({ as: fixture.credential(allow(fixture.topic('mine/#'))) })
    const codes = await reader.subscribe(
      share(fixture, 'mine/a'),
      share(fixture, 'other'),
      '$share/group/#',
      '$share/group/$SYS/#',
    )
    assert.deepEqual(codes, [1, 0x87, 0x87, 0x87])
  })

  conforms('equal groups of two workspaces are two groups', FIVE, async (fixture) => {
    const here = await member(fixture, share(fixture, '#'))
    const elsewhere = fixture.authority.add(`${fixture.workspace}b`, [
      allow(`${fixture.workspace}b/#`),
      allow('#'),
    ])
    const outside = await fixture.connect({ as: elsewhere })
    assert.deepEqual(await outside.subscribe(share(fixture, '#')), [1])
    const writer = await fixture.connect()
    for (let id = 1; id <= 10; id += 1) await writer.published({ topic: fixture.topic(), id })
    assert.deepEqual(await countsOf([here], 10), [10])
  })

  conforms('no local on a shared subscription is an error', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(subscribePacket(5, 1, [[share(fixture, 'a'), 0x05]]))
    await peer.ends(0x82)
  })

  conforms('a shared subscription gets no retained messages', ALL, async (fixture) => {
    const writer = await fixture.connect()
    await writer.published({ topic: fixture.topic(), retain: true })
    const reader = await member(fixture, [share(fixture, 'a'), 0])
    await reader.quiet()
    writer.publish({ topic: fixture.topic(), payload: 'live' })
    const { payload, retain } = await reader.next('PUBLISH')
    assert.deepEqual([payload, retain], ['live', false])
  })

  conforms('a shared message has the QoS and identifier of its session', FIVE, async (fixture) => {
    const reader = await fixture.connect()
    await reader.subscribeAs(9, [share(fixture, '#'), 0])
    const writer = await fixture.connect()
    await writer.publishedTwice({ topic: fixture.topic() })
    const message = await reader.next('PUBLISH')
    assert.equal(message.qos, 0)
    assert.deepEqual(valuesOf(message, 'subscriptionIdentifier'), [9])
  })

  conforms('a shared and another subscription are two', ALL, async (fixture) => {
    const reader = await member(fixture, [share(fixture, 'a'), 0], [fixture.topic('a'), 0])
    const writer = await fixture.connect()
    await writer.published({ topic: fixture.topic() })
    await reader.take(2)
    await reader.unsubscribe(share(fixture, 'a'))
    await writer.published({ topic: fixture.topic() })
    await reader.next('PUBLISH')
    await reader.quiet()
  })

  conforms('the sessions of a group that are connected get its messages', ALL, async (fixture) => {
    const wish = { as: fixture.credential(), durable: true }
    const away = await fixture.connect(wish)
    await away.subscribe(share(fixture, '#'))
    const here = await member(fixture, share(fixture, '#'))
    await away.drop()
    await fixture.authority.closed(wish.as)
    const writer = await fixture.connect()
    for (let id = 1; id <= 6; id += 1) await writer.published({ topic: fixture.topic(), id })
    assert.deepEqual(await countsOf([here], 6), [6])
  })

  conforms('a QoS 2 delivery is completed by the session it began with', ALL, async (fixture) => {
    const wish = { as: fixture.credential(), durable: true }
    const first = await fixture.connect(wish)
    await first.subscribe([share(fixture, '#'), 2])
    const writer = await fixture.connect()
    await writer.publishedTwice({ topic: fixture.topic() })
    const { id } = await first.next('PUBLISH')
    const second = await member(fixture, [share(fixture, '#'), 2])
    await first.drop()
    const back = await fixture.connect(wish)
    const again = await back.next('PUBLISH')
    assert.deepEqual([again.id, again.dup], [id, true])
    await second.quiet()
  })

  conforms('messages of an ended session are not sent to another one', FIVE, async (fixture) => {
    const credential = fixture.credential()
    const first = await fixture.connect({ as: credential })
    await first.subscribe([share(fixture, '#'), 2])
    const writer = await fixture.connect()
    await writer.publishedTwice({ topic: fixture.topic() })
    await first.next('PUBLISH')
    const second = await member(fixture, [share(fixture, '#'), 2])
    await first.drop()
    await fixture.authority.closed(credential)
    await second.quiet()
  })

  conforms('a message that a session of a group refuses is discarded', FIVE, async (fixture) => {
    const [first, writer] = [await member(fixture, share(fixture, '#')), await fixture.connect()]
    await writer.published({ topic: fixture.topic() })
    const { id } = await first.next('PUBLISH')
    const second = await member(fixture, share(fixture, '#'))
    first.acknowledge('PUBACK', id, 0x80)
    await first.quiet()
    await second.quiet()
  })

  conforms('an unacknowledged QoS 1 message goes to another session', ALL, async (fixture) => {
    const first = await member(fixture, share(fixture, '#'))
    const writer = await fixture.connect()
    await writer.published({ topic: fixture.topic(), payload: 'one' })
    await first.next('PUBLISH')
    const second = await member(fixture, share(fixture, '#'))
    await first.drop()
    const { payload } = await second.next('PUBLISH')
    assert.equal(payload, 'one')
    await second.quiet()
  })

  conforms(
    'a session that may no longer receive a message is passed over',
    ALL,
    async (fixture) => {
      const credential = fixture.credential()
      const narrowed = await fixture.connect({ as: credential })
      await narrowed.subscribe(share(fixture, '#'))
      const other = await member(fixture, share(fixture, '#'))
      const rules = [allow(fixture.topic('open/#'))]
      await fixture.broker.regrant(credential.grant.principalId, rules)
      const writer = await fixture.connect()
      for (let id = 1; id <= 4; id += 1)
        await writer.published({ topic: fixture.topic('secret'), id })
      assert.deepEqual(await countsOf([other], 4), [4])
      await narrowed.quiet()
    },
  )

  conforms('a shared message keeps its properties', FIVE, async (fixture) => {
    const reader = await member(fixture, share(fixture, '#'))
    const writer = await fixture.connect()
    await writer.published({
      topic: fixture.topic(),
      properties: [property('contentType', 'text/plain')],
    })
    assert.equal(valueOf(await reader.next('PUBLISH'), 'contentType'), 'text/plain')
  })
})
