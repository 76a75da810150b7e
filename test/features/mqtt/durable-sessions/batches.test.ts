/** Changes that a broker notes are written in few statements, in order, with retries. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KeptDelivery } from '../../../../src/adapters/broker/store-port.ts'
import { DurableStore } from '../../../../src/features/mqtt/durable-sessions/session-batches.ts'
import type { Db } from '../../../../src/platform/database/connect.ts'
import type { TestApp } from '../../../support/app.ts'
import { useApp } from '../../../support/suite-app.ts'

const SESSIONS = 50
const EACH = 100

const delivery = (seq: number): KeptDelivery => ({
  topic: 'acme/one',
  payload: Buffer.from(`message ${seq}`),
  qos: 1,
  properties: Buffer.alloc(0),
  expiresAt: 0,
  seq,
  packetId: seq,
  retain: false,
  identifiers: undefined,
  share: undefined,
  isReleased: false,
})

/** A store on the service's database, which says what was written. */
async function openStore({ database, seed }: TestApp) {
  const nobody = (): never => assert.fail('there are no principals')
  const seen = { batches: 0, failures: 0 }
  const db: Db = {
    ...database,
    async query(statement, values) {
      if (statement.name === 'mqtt_store.write') {
        seen.batches += 1
        if (seen.failures > 0) {
          seen.failures -= 1
          throw new Error('not now')
        }
      }
      return database.query(statement, values)
    },
  }
  const store = new DurableStore({
    db,
    authority: { load: nobody, refusalOf: nobody },
    usage: { meterOf: nobody },
    warn: () => {},
  })
  await store.open({ drained() {}, lost: () => assert.fail('nobody else has it') })
  const committed = (): Promise<void> => new Promise((resolve) => store.after(resolve))
  const rows = async (): Promise<number> => {
    const text = 'SELECT count(*)::int AS n FROM mqtt_stored_messages WHERE workspace_id = $1'
    return (await database.pool.query(text, [seed.uuid])).rows[0].n
  }
  const session = () => ({ workspaceId: seed.id, id: store.newId() })
  return { store, seen, committed, rows, session }
}

describe('the store of the broker', () => {
  const get = useApp()

  test('writes all that comes in a turn, or during a batch, by one statement', async () => {
    const { store, seen, committed, rows, session } = await openStore(get())
    const sessions = Array.from({ length: SESSIONS }, session)
    const queueAll = (from: number): void => {
      for (const each of sessions)
        for (let seq = from; seq < from + EACH; seq += 1) store.note().queue(each, delivery(seq))
    }
    queueAll(1)
    const first = committed()
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.resolve()
    queueAll(1 + EACH)
    await first
    await committed()
    assert.equal(seen.batches, 2)
    assert.equal(await rows(), 2 * SESSIONS * EACH)
    for (const each of sessions) store.note().drop(each)
    await committed()
    assert.equal(await rows(), 0)
    await store.close()
  })

  test('never writes what is acknowledged before its batch begins', async () => {
    const { store, seen, committed, rows, session } = await openStore(get())
    const one = session()
    store.note().queue(one, delivery(1))
    store.note().unqueue(one, 1)
    await committed()
    assert.deepEqual([seen.batches, await rows()], [0, 0])
    await store.close()
  })

  test('repeats a batch that fails, and calls nobody back before it is committed', async () => {
    const { store, seen, committed, rows, session } = await openStore(get())
    const order: string[] = []
    const one = session()
    seen.failures = 2
    store.note().queue(one, delivery(1))
    store.after(() => order.push(`first, after ${seen.batches}`))
    await new Promise((resolve) => setImmediate(resolve))
    store.note().release(one, 1)
    store.after(() => order.push(`second, after ${seen.batches}`))
    await committed()
    assert.deepEqual(order, ['first, after 3', 'second, after 4'])
    assert.equal(await rows(), 1)
    store.note().drop(one)
    await committed()
    await store.close()
  })
})
