/** The share of one workspace, and of failing receivers, in all requests that a process sends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { SendingSlots } from '../../../../src/features/events/webhooks/sending-slots.ts'

const MANY = 1_000

/** Asks for many slots. @returns what gives those back that were got. */
function takeMany(slots: SendingSlots, taker: Parameters<SendingSlots['take']>[0]) {
  const got: (() => void)[] = []
  for (let n = 0; n < MANY; n += 1) void slots.take(taker).then((back) => got.push(back))
  return got
}

test('slow receivers of one workspace do not delay other workspaces', async () => {
  const slots = new SendingSlots()
  const slow = takeMany(slots, { workspaceId: 'a', isFailing: false })
  await turn()
  assert.ok(slow.length > 0 && slow.length < 256, `the slow receiver got ${slow.length} requests`)
  const other = takeMany(slots, { workspaceId: 'b', isFailing: false })
  await turn()
  assert.equal(other.length, slow.length)
  for (const back of slow.splice(0)) back()
  await turn()
  assert.equal(slow.length, other.length, 'waiting deliveries are sent')
})

test('failing receivers do not prevent other deliveries, in any workspace', async () => {
  const slots = new SendingSlots()
  for (const workspaceId of ['a', 'b', 'c', 'd']) takeMany(slots, { workspaceId, isFailing: true })
  await turn()
  assert.equal(slots.taken, 256)
  const good = takeMany(slots, { workspaceId: 'e', isFailing: false })
  await turn()
  assert.ok(good.length > 0)
})
