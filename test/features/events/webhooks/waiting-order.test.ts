/** The order of a device is kept where many of its events wait behind one that failed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  environment: { ...toReceivers, MOORING_WEBHOOK_RETRY_S: '3,3,3' },
})

test('deliveries that wait behind a failed one are sent in order', async (t) => {
  const app = await freshTenants(t)
  const [device = ''] = newDevices(1)
  let isToFail = true
  const { url, got } = await startReceiver(t, ({ n }) => {
    if (n !== 0 || !isToFail) return 200
    isToFail = false
    return 500
  })
  await webhooksOf(app).make({ url, types: ['device.*'] })
  await publish(app, eventsOf([device], 120))
  await until('all have come', () => got.length >= 121)
  assert.deepEqual(
    got.map(({ n }) => n),
    [0, ...Array(120).keys()],
  )
})
