/** Paying workspaces: with a plan, cards at the Stripe stand-in, and invoices. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import Stripe from 'stripe'
import { unnamed } from '../../src/platform/database/connect.ts'
import { post } from '../../src/features/billing/ledger/ledger.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import { as, type CallOptions, type CallResult, startApp, type TestApp } from './app.ts'
import { examplePlans, plansFile } from './plans.ts'
import { seed, type Seed } from './seed.ts'
import { startStripe, STRIPE_WEBHOOK_SECRET, type StripeStandIn } from './stripe.ts'
import type { CardName, StripeEvent } from './stripe-objects.ts'
import { until } from './until.ts'

/** The secret with which Stripe's own library signs it. */
const { webhooks } = new Stripe('sk_test_unused')

export const signatureOf = (payload: string, timestamp?: number, secret?: string): string =>
  webhooks.generateTestHeaderString({
    payload,
    secret: secret ?? STRIPE_WEBHOOK_SECRET,
    ...(timestamp !== undefined && { timestamp }),
  })

/** Sends an event as Stripe does. @returns the status. */
export async function deliver(origin: string, event: StripeEvent): Promise<number> {
  const payload = JSON.stringify(event)
  const response = await fetch(`${origin}/billing/stripe/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signatureOf(payload) },
    body: payload,
  })
  await response.text()
  return response.status
}

type Service = Pick<TestApp, 'call' | 'origin' | 'app' | 'services' | 'database'>

/** An invoice that is open, with what it asks for in the ledger. @returns its id. */
export async function openInvoice(
  { database }: Pick<TestApp, 'database'>,
  workspaceId: string,
  amount: number,
): Promise<{ uuid: string; id: string }> {
  const uuid = newUuid()
  const id = formatId('inv', uuid)
  await database.transaction(async (trx) => {
    await trx.query(
      unnamed(
        `INSERT INTO subscriptions (workspace_id, currency, drafted_until)
         VALUES ($1, 'EUR', now() + interval '1 year') ON CONFLICT DO NOTHING`,
      ),
      [workspaceId],
    )
    await trx.query(
      unnamed(
        `INSERT INTO invoices (workspace_id, id, status, period_start, period_end, currency, number,
                               content, subtotal, tax, total, balance_used, issued_at, due_at)
         SELECT $1, $2, 'open', start, start + interval '1 month', 'EUR',
                (random() * 1e15)::bigint, '{}', $3, 0, $3, 0, now(),
                now() + interval '14 days'
         FROM (SELECT timestamptz '2001-01-01Z' + random() * interval '20 years' AS start) AS s`,
      ),
      [workspaceId, uuid, amount],
    )
    await post(trx, {
      workspaceId,
      key: `invoice:${id}`,
      currency: 'EUR',
      lines: [
        { account: 'receivable', amount },
        { account: 'revenue', amount: -amount },
      ],
    })
  })
  return { uuid, id }
}

/** One workspace that pays, by the hand of its owner. */
export class Payer {
  readonly app: Service
  readonly seed: Seed
  readonly stripe: StripeStandIn

  constructor(app: Service, owner: Seed, stripe: StripeStandIn) {
    this.app = app
    this.seed = owner
    this.stripe = stripe
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<CallResult> {
    const credential = as.user(this.seed.owner.token)
    return this.app.call(method, `/workspaces/${this.seed.id}${path}`, {
      as: credential,
      ...options,
    })
  }

  /** Sends all events since the last time, and those that come of it. */
  async deliverAll(): Promise<void> {
    const { events } = this.stripe.objects
    for (let event = events.shift(); event !== undefined; event = events.shift()) {
      assert.equal(await deliver(this.app.origin, event), 200)
    }
  }

  /** Begins a set-up. @returns Stripe's id of it. */
  async beginCard(): Promise<{ id: string; setupId: string }> {
    const { status, body, text } = await this.call('POST', '/payment-methods')
    assert.equal(status, 201, text)
    const setupId = String(body.client_secret).split('_secret_')[0] as string
    return { id: body.id as string, setupId }
  }

  /** @returns the id of the method, once it is in the list. */
  async addCard(name: CardName): Promise<string> {
    const { id, setupId } = await this.beginCard()
    this.stripe.objects.enterCard(setupId, name)
    await this.deliverAll()
    await until('the card is there', async () => {
      const { body } = await this.call('GET', '/payment-methods')
      return body.items.some((item: { id: string }) => item.id === id)
    })
    return id
  }

  invoice(amount: number): Promise<{ uuid: string; id: string }> {
    return openInvoice(this.app, this.seed.uuid, amount)
  }

  pay(invoice: string, body: object = {}): Promise<CallResult> {
    return this.call('POST', `/invoices/${invoice}/pay`, { body })
  }

  async payments(query = ''): Promise<Record<string, unknown>[]> {
    return (await this.call('GET', `/payments${query}`)).body.items
  }

  /** The sums of all accounts, which are zero together. */
  async sums(): Promise<Record<string, number>> {
    const rows = await this.app.database.query<{ account: string; amount: number }>(
      unnamed(
        `SELECT account, sum(amount)::bigint AS amount FROM ledger_entries
         WHERE workspace_id = $1 GROUP BY account HAVING sum(amount) <> 0 ORDER BY account`,
      ),
      [this.seed.uuid],
    )
    assert.equal(
      rows.reduce((sum, { amount }) => sum + amount, 0),
      0,
    )
    return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]))
  }

  async invoiceStatus(uuid: string): Promise<string | undefined> {
    const [row] = await this.app.database.query<{ status: string }>(
      unnamed('SELECT status FROM invoices WHERE workspace_id = $1 AND id = $2'),
      [this.seed.uuid, uuid],
    )
    return row?.status
  }

  /** The actor and the action of a request, as the audit log has them. */
  async entriesOf({ headers }: CallResult): Promise<string[]> {
    const rows = await this.app.database.query<{ action: string; actor_id: string }>(
      unnamed('SELECT action, actor_id FROM audit_log WHERE workspace_id = $1 AND request_id = $2'),
      [this.seed.uuid, headers['x-request-id']],
    )
    assert.ok(rows.every(({ actor_id }) => actor_id === this.seed.owner.id))
    return rows.map(({ action }) => action)
  }

  /** As if time had passed: unfinished payments are continued at once. */
  async timePasses(interval = '1 minute'): Promise<void> {
    await this.app.database.query(
      unnamed(
        `WITH p AS (UPDATE payments SET check_at = now(), created_at = created_at - $2::interval
                    WHERE workspace_id = $1)
         UPDATE payment_methods SET check_at = now(), created_at = created_at - $2::interval
         WHERE workspace_id = $1`,
      ),
      [this.seed.uuid, interval],
    )
    await this.app.database.query(
      unnamed(
        `SELECT graphile_worker.add_job(task, '{}'::json)
         FROM unnest(ARRAY['payments.resume', 'payment_methods.look_at_due']) AS task`,
      ),
    )
  }
}

/** One service for a suite, with Stripe; each call gives a payer of its own. */
export function usePayers(): () => Promise<Payer> {
  const closers: (() => unknown)[] = []
  const t = { after: (close: unknown) => void closers.push(close as () => unknown) }
  let stripe: StripeStandIn
  let app: TestApp
  before(async () => {
    const file = examplePlans()
    const { default_plan: _none, ...plans } = file
    stripe = await startStripe(t)
    app = await startApp(t, {
      environment: { ...stripe.environment, MOORING_PLANS_FILE: plansFile(plans) },
    })
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  return async () => {
    stripe.objects.events.length = 0
    const payer = new Payer(app, await seed(app.app), stripe)
    const chosen = await payer.call('PUT', '/subscription', { body: { plan_id: 'pay-as-you-go' } })
    assert.equal(chosen.status, 200, chosen.text)
    return payer
  }
}
