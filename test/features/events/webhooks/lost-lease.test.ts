/**
 * A process that is killed may leave waiting rows of events that lie after the webhook's position,
 * since an earlier event was still being sent. The next process reads these events again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishAll } from '../../../../src/platform/record/record.ts'
import type { TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import {
  eventsOf,
  newDevices,
  publish,
  startReceiver,
  toReceivers,
  webhooksOf,
} from '../../../support/webhook-receiver.ts'

const freshTenants = useTenants({
  environment: { ...toReceivers, MOORING_WEBHOOK_RETRY_S: Array(30).fill('1').join() },
})

const cursorsOf = ({ database, seed }: TestApp) => {
  const rows = async (sql: string, ...values: unknown[]) =>
    (await database.pool.query(sql, [seed.uuid, ...values])).rows
  return {
    position: async (): Promise<unknown[]> => {
      const [cursor] = await rows(
        'SELECT seq, event_id FROM webhook_cursors WHERE workspace_id = $1',
      )
      return [cursor.seq, cursor.event_id]
    },
    /**
     * Ends the lease and resets the position, as of a moment at which nothing was due: on a slow
     * machine deliveries may have paused, and what is due is sent before the feed is read.
     */
    async reset(position: unknown[]): Promise<void> {
      await rows(
        `UPDATE webhook_deliveries SET next_try_at = clock_timestamp() + interval '8 seconds'
         WHERE workspace_id = $1 AND next_try_at IS NOT NULL`,
      )
      await rows(
        `UPDATE webhook_cursors SET seq = $2, event_id = $3, epoch = epoch + 1, holder = NULL,
                                    lease_until = NULL, failures = 0, failing_since = NULL,
                                    probe_at = NULL
         WHERE workspace_id = $1`,
        ...position,
      )
    },
    count: async (status: string): Promise<number> => {
      const counted = `SELECT count(*)::int AS n FROM webhook_deliveries
                       WHERE workspace_id = $1 AND status = $2`
      return (await rows(counted, status))[0].n
    },
  }
}

test('events after the position that wait already are delivered, in order', async (t) => {
  const app = await freshTenants(t)
  const cursors = cursorsOf(app)
  let isBroken = true
  const { url, got } = await startReceiver(t, ({ n }) => (isBroken && n > 0 ? 500 : 200))
  await webhooksOf(app).make({ url, types: ['device.*'] })
  const position = await cursors.position()
  await publish(app, eventsOf(newDevices(1), 3))
  const workspaceId = app.seed.uuid
  const data = { device: 'none', n: 3 }
  await publishAll(app.database, [{ workspaceId, action: 'device.updated', data }])
  await until('one is delivered, the others wait', async () => {
    return (await cursors.count('delivered')) === 1 && (await cursors.count('waiting')) === 3
  })
  await cursors.reset(position)
  const before = got.length
  await until('the first one is delivered again', () => got.slice(before).some(({ n }) => n === 0))
  isBroken = false
  await until('nothing waits', async () => (await cursors.count('waiting')) === 0)
  const ofDevice = got.slice(before).flatMap(({ n, device }) => (device === 'none' ? [] : [n]))
  assert.deepEqual([...new Set(ofDevice)], [0, 1, 2])
})
