/** A client that pays a service that runs as a process of its own and may be killed meanwhile. */
import type pg from 'pg'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import { deliver } from './payments.ts'
import type { Service } from './service.ts'
import type { StripeStandIn } from './stripe.ts'
import { until } from './until.ts'

export const PAID_AMOUNT = 500

/** Open invoices, with nothing in the ledger. @returns their ids */
export async function insertInvoices(
  client: Pick<pg.Client, 'query'>,
  workspaceId: string,
  count: number,
): Promise<string[]> {
  const uuids = Array.from({ length: count }, newUuid)
  for (const uuid of uuids) {
    await client.query(
      `INSERT INTO invoices (workspace_id, id, status, period_start, period_end, currency, number,
                             content, subtotal, tax, total, balance_used, issued_at, due_at)
       VALUES ($1, $2, 'open', timestamptz '2001-01-01Z' + random() * interval '20 years', now(),
               'EUR', (random() * 1e15)::bigint, '{}', $3, 0, $3, 0, now(), now())`,
      [workspaceId, uuid, PAID_AMOUNT],
    )
  }
  return uuids.map((uuid) => formatId('inv', uuid))
}

/** Unfinished payments are continued at once, and not in a minute. */
export const TIME_PASSES = `
  UPDATE payments SET check_at = now() WHERE ended_at IS NULL;
  SELECT graphile_worker.add_job('payments.resume', '{}'::json)`

/** Pays invoices and buys balance with a card at the Stripe stand-in. */
export class PayingClient {
  readonly stripe: StripeStandIn
  readonly path: string
  readonly headers: Record<string, string>

  constructor(stripe: StripeStandIn, path: string, headers: Record<string, string>) {
    this.stripe = stripe
    this.path = path
    this.headers = headers
  }

  /** Asks for everything, as a client does that has heard nothing yet. @returns what was heard. */
  ask(service: Service, invoices: readonly string[], keys: readonly string[]) {
    const { headers, path } = this
    const asked = [
      ...invoices.map((id) =>
        service.call('POST', `${path}/invoices/${id}/pay`, {
          headers,
          body: { payment_method_id: this.method },
        }),
      ),
      ...keys.map((key) =>
        service.call('POST', `${path}/balance/top-ups`, {
          headers: { ...headers, 'idempotency-key': key },
          body: { amount: PAID_AMOUNT },
        }),
      ),
    ]
    return Promise.allSettled(asked)
  }

  method = ''

  async addCard(service: Service): Promise<void> {
    const { headers, path, stripe } = this
    const { body } = await service.call('POST', `${path}/payment-methods`, { headers })
    this.method = body.id as string
    stripe.objects.enterCard(String(body.client_secret).split('_secret_')[0] as string, 'good')
    for (const event of stripe.objects.events.splice(0)) await deliver(service.origin, event)
    await until('the card is there', async () => {
      const list = await service.call('GET', `${path}/payment-methods`, { headers })
      return list.body.items.length > 0
    })
  }
}
