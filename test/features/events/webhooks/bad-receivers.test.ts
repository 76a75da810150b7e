/**
 * Good receivers alongside bad ones of every kind get everything. MOORING_TEST_BAD_RECEIVERS says
 * how many bad ones; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import {
  assertSigned,
  assertWhole,
  makeWebhook,
  subjectsOf,
  writeEvents,
} from './event-delivery.ts'
import { badBehaviours, startReceiver, startSink } from './receivers.ts'

const BAD = Number(process.env.MOORING_TEST_BAD_RECEIVERS ?? badBehaviours.length)
/** In one workspace; each has a good one too. */
const BAD_TOGETHER = 20
const EVENTS = 100

const freshTenants = useTenants({
  environment: {
    MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    MOORING_WEBHOOK_TIMEOUT_S: '2',
  },
})

test(`receivers that work get everything alongside ${BAD} that do not`, {
  timeout: 600_000,
}, async (t) => {
  const sink = await startSink(t)
  const workspaces = await Promise.all(
    Array.from({ length: Math.ceil(BAD / BAD_TOGETHER) }, async (_none, at) => {
      const app = await freshTenants(t)
      const bad = await Promise.all(
        Array.from({ length: Math.min(BAD_TOGETHER, BAD - at * BAD_TOGETHER) }, async (_no, n) => {
          const behaviour = badBehaviours[(at * BAD_TOGETHER + n) % badBehaviours.length]
          const receiver = await startReceiver(t, behaviour)
          receiver.elsewhere = `http://127.0.0.1:${sink.port}/`
          await makeWebhook(app, receiver.url)
          return receiver
        }),
      )
      const good = await startReceiver(t)
      const { secret } = await makeWebhook(app, good.url)
      return { app, bad, good, secret }
    }),
  )
  const subjects = subjectsOf(20)
  // The bad ones are known for what they are when the second half comes.
  for (const half of [0, 1]) {
    const range = [(half * EVENTS) / 2, ((half + 1) * EVENTS) / 2 - 1] as const
    for (const { app } of workspaces) {
      await writeEvents(app.database.pool, app.seed.uuid, range, subjects)
    }
    for (const { good, bad } of workspaces) {
      await until('the good one has all', () => good.ids.size > range[1])
      const tried = bad.filter(({ behaviour }) => behaviour !== 'garbage')
      await until('the bad ones were tried', () => tried.every(({ requests }) => requests > 0))
    }
  }
  for (const { good, bad, secret } of workspaces) {
    assertWhole(good.got, EVENTS)
    assertSigned(good.got, secret)
    for (const { behaviour, requests } of bad) {
      assert.ok(requests < EVENTS / 2, `${requests} requests to a receiver that ${behaviour}`)
    }
  }
  assert.equal(sink.hits, 0)
})
