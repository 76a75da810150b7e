/** A broker is asked about many devices at once, and never while it answers about others. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PresenceSweep } from '../../../../src/features/mqtt/bridges/presence-sweep.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { registerDevice } from '../../../support/commands.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

describe('devices that say nothing', () => {
  const start = useTenants()

  test('are asked about together, while the broker answers an earlier question', async (t) => {
    const app = await start(t)
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) ids.push((await registerDevice(app)).device_id)
    const asked: string[][] = []
    const responses: (() => void)[] = []
    let checks = 0
    let respond = (_deviceId: string): void => {}
    const silent = new PresenceSweep({
      db: {
        ...app.database,
        async query(...args) {
          const rows = await app.database.query<never>(...args)
          checks += 1
          return rows
        },
      },
      feed: {
        on: (_kind, listener) => {
          respond = listener
        },
      },
      held: () => new Map([['slow', { has: () => false, presume: () => {} }]]),
      present: (_broker, names) => {
        asked.push([...names].toSorted())
        return new Promise((resolve) => void responses.push(() => resolve(new Set())))
      },
      warn: (_message, error) => assert.fail(error as Error),
    })
    t.after(() => silent.stop())
    const [first, ...others] = ids as [string, string, string]
    respond(parseId('dev', first) as string)
    await until('it is asked', () => asked.length === 1)
    let checked = checks
    for (const id of others) {
      respond(parseId('dev', id) as string)
      checked += 1
      await until('it was looked up', () => checks === checked)
      // The result of the check comes at once.
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.deepEqual(asked, [[first]])
    responses[0]?.()
    await until('it is asked about the others', () => asked.length === 2)
    assert.deepEqual(asked[1], others.toSorted())
    responses[1]?.()
  })
})
