/**
 * kill -9 while money is moved, again and again: every invoice is paid by one charge, none by two,
 * and the ledger has what has moved. MOORING_TEST_KILLS says how often; CI asks for more.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pg from 'pg'
import { findEmbeddedPostgres } from '../../src/platform/database/embedded.ts'
import { parseId } from '../../src/platform/lib/ids.ts'
import {
  insertInvoices,
  PAID_AMOUNT as AMOUNT,
  PayingClient,
  TIME_PASSES,
} from '../support/paying-client.ts'
import { deliver } from '../support/payments.ts'
import { plansFile } from '../support/plans.ts'
import { preparedDataDir, printedOwner, signIn, startService } from '../support/service.ts'
import { startStripe } from '../support/stripe.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 1)
/** Invoices, and top-ups, of each round. */
const EACH = 4

async function withDatabase<T>(dataDir: string, work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client(await findEmbeddedPostgres(dataDir))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const SUMS = `
  SELECT account, sum(amount)::int AS amount FROM ledger_entries
  GROUP BY account HAVING sum(amount) <> 0 ORDER BY account`

test(`a service that is killed ${KILLS} times while paying charges each payment once`, {
  timeout: 300_000 + KILLS * 30_000,
}, async (t) => {
  const stripe = await startStripe(t)
  const dataDir = await preparedDataDir(t)
  const environment = { ...stripe.environment, MOORING_PLANS_FILE: plansFile() }
  let service = await startService(t, dataDir, { environment })
  const owner = printedOwner(service)
  const headers = await signIn(service, owner)
  const { body: workspaces } = await service.call('GET', '/workspaces', { headers })
  const workspace = workspaces.items[0].id as string
  const workspaceId = parseId('ws', workspace) as string
  const round = new PayingClient(stripe, `/workspaces/${workspace}`, headers)
  const plan = { headers, body: { plan_id: 'pay-as-you-go' } }
  assert.equal((await service.call('PUT', `${round.path}/subscription`, plan)).status, 200)
  await round.addCard(service)
  let cut = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    // Now just while Stripe is asked, now anywhere.
    const atWork = kill % 2 === 0
    stripe.slow(atWork ? 1_000 : 60)
    const invoices = await withDatabase(dataDir, (client) =>
      insertInvoices(client, workspaceId, EACH),
    )
    const keys = Array.from({ length: EACH }, (_none, number) => `top-up-${kill}-${number}`)
    const asked = round.ask(service, invoices, keys)
    await until('Stripe is asked', () => stripe.requests.some((each) => each.endsWith('/confirm')))
    if (!atWork) await sleep(Math.random() * 200)
    await service.stop('SIGKILL')
    stripe.slow(60)
    cut += (await asked).filter(({ status }) => status === 'rejected').length
    stripe.requests.length = 0
    service = await startService(t, dataDir, { environment })
    Object.assign(headers, await signIn(service, owner))
    await round.ask(service, invoices, keys)
    await withDatabase(dataDir, (client) => client.query(TIME_PASSES))
    await until('all of them are paid', async () => {
      const list = await service.call('GET', `${round.path}/payments?limit=${2 * EACH}`, {
        headers,
      })
      return list.body.items.every(({ status }: { status: string }) => status === 'succeeded')
    })
    for (const event of stripe.objects.events.splice(0)) await deliver(service.origin, event)
  }
  assert.ok(cut > 0, 'the process was killed while it worked')
  const total = KILLS * EACH * AMOUNT
  const charged = stripe.objects.charges.map(({ paymentId }) => paymentId)
  assert.equal(charged.length, 2 * KILLS * EACH)
  assert.equal(new Set(charged).size, charged.length)
  const found = await withDatabase(dataDir, async (client) => ({
    sums: (await client.query(SUMS)).rows,
    paid: (await client.query(`SELECT count(*)::int AS n FROM invoices WHERE status = 'paid'`))
      .rows,
  }))
  assert.deepEqual(found.sums, [
    { account: 'balance', amount: -total },
    { account: 'payments', amount: 2 * total },
    { account: 'receivable', amount: -total },
  ])
  assert.deepEqual(found.paid, [{ n: KILLS * EACH }])
  assert.equal((await service.stop()).code, 0)
})
