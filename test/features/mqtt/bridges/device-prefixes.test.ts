/** The device that a topic belongs to, cached no longer than it is true. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeFeed, ChangeKind } from '../../../../src/platform/database/change-feed.ts'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { DevicePrefixes } from '../../../../src/features/mqtt/bridges/device-prefixes.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'

function remembering(count: number) {
  const listeners = new Map<ChangeKind, (ref: string) => void>()
  const changes = new Map<string, number>()
  let sequence = 1
  const workspace_id = newUuid()
  const rows = Array.from({ length: count }, (_, n) => ({
    slug: 'acme',
    device_key: `d${n}`,
    workspace_id,
    id: newUuid(),
    is_first: false,
  }))
  const reads = { count: 0, meanwhile: (): void => {} }
  const feed: Pick<ChangeFeed, 'on' | 'onGap' | 'sequence' | 'lastChange'> = {
    on: (kind, listener) => void listeners.set(kind, listener),
    onGap() {},
    get sequence() {
      return sequence
    },
    lastChange: (ref) => changes.get(ref) ?? 0,
  }
  const db = {
    async query(_statement: unknown, [, keys]: [string[], string[]]) {
      reads.count += 1
      const found = keys.flatMap((key) => rows[Number(key.slice(1))] ?? [])
      reads.meanwhile()
      return found
    },
  } as unknown as Db
  const change = (kind: ChangeKind, ref: string): void => {
    sequence += 1
    changes.set(ref, sequence)
    listeners.get(kind)?.(ref)
  }
  const prefixes = new DevicePrefixes({ db, feed })
  const isRead = async (n: number): Promise<boolean> => {
    const before = reads.count
    assert.equal((await prefixes.find(new Set([`acme/d${n}`]))).size, 1)
    return reads.count > before
  }
  return { rows, reads, prefixes, change, isRead, workspace_id }
}

test('a device is read once, until it changes', async () => {
  const { rows, change, isRead, workspace_id } = remembering(2)
  assert.deepEqual([await isRead(0), await isRead(0)], [true, false])
  change('device', rows[1]?.id ?? '')
  assert.equal(await isRead(0), false, 'another device changed')
  change('device', rows[0]?.id ?? '')
  assert.equal(await isRead(0), true)
  change('workspace', workspace_id)
  assert.equal(await isRead(0), true)
})

test('a device that changes while it is read is read again', async () => {
  const { rows, reads, change, isRead } = remembering(1)
  reads.meanwhile = () => change('device', rows[0]?.id ?? '')
  assert.equal(await isRead(0), true)
  reads.meanwhile = () => {}
  assert.deepEqual([await isRead(0), await isRead(0)], [true, false])
})

test('a device that changes is evicted, also if there are more devices than are cached', async () => {
  const { rows, prefixes, change, isRead } = remembering(102_000)
  const all = rows.map(({ device_key }) => `acme/${device_key}`)
  for (let n = 0; n < all.length; n += 2_000) {
    // The first continues to publish, so it is never the one that is evicted.
    await prefixes.find(new Set(['acme/d0', ...all.slice(n, n + 2_000)]))
  }
  assert.equal(await isRead(0), false)
  change('device', rows[0]?.id ?? '')
  assert.equal(await isRead(0), true)
})
