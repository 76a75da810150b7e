/**
 * Invoices months of workspaces, pays invoices and buys balance. Each month is invoiced once, no
 * number is missing, each payment is charged once, and the ledger sums to zero.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { addWorkspaces, makeInvoices, TOTAL } from '../../../support/invoiced-workspaces.ts'
import {
  insertInvoices,
  PAID_AMOUNT,
  type PayingClient,
  TIME_PASSES,
} from '../../../support/paying-client.ts'
import { deliver } from '../../../support/payments.ts'
import { type Owner, signIn } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import type { Part, World } from '../world.ts'

const WORKSPACES = 3
const EACH = 2
const END_MS = 120_000

const INVOICED = `
  WITH made AS (SELECT * FROM workspaces WHERE slug LIKE 'w-%'),
  issued AS (SELECT i.* FROM invoices i JOIN made ON made.id = i.workspace_id
             WHERE i.status <> 'draft')
  SELECT (SELECT count(*)::int FROM made) AS workspaces,
    (SELECT count(*)::int FROM issued) AS issued,
    (SELECT count(DISTINCT workspace_id)::int FROM issued) AS each,
    coalesce((SELECT max(number)::int FROM issued), 0) AS highest,
    coalesce((SELECT last::int FROM invoice_numbers), 0) AS counted,
    (SELECT count(*)::int FROM issued WHERE total <> ${TOTAL}) AS wrong,
    (SELECT coalesce(sum(total - balance_used), 0)::int FROM issued) AS owed,
    (SELECT coalesce(sum(amount), 0)::int FROM ledger_entries l JOIN made
       ON made.id = l.workspace_id WHERE account = 'receivable') AS receivable,
    (SELECT coalesce(sum(amount), 0)::int FROM ledger_entries) AS zero,
    (SELECT count(*)::int FROM (SELECT FROM ledger_entries
       GROUP BY workspace_id, transaction_id HAVING sum(amount) <> 0) AS one) AS uneven,
    (SELECT count(*)::int FROM events e JOIN made ON made.id = e.workspace_id
     WHERE type = 'invoice.finalized') AS received,
    (SELECT count(*)::int FROM audit_log a JOIN made ON made.id = a.workspace_id
     WHERE action = 'invoice.finalized') AS audited`

const PAID = `
  SELECT (SELECT count(*)::int FROM invoices WHERE workspace_id = $1 AND status = 'paid') AS paid,
    (SELECT count(*)::int FROM invoices
     WHERE workspace_id = $1 AND status IN ('open', 'overdue')) AS unpaid,
    (SELECT count(*)::int FROM payments WHERE workspace_id = $1 AND ended_at IS NULL) AS open,
    (SELECT coalesce(sum(amount), 0)::int FROM ledger_entries
     WHERE workspace_id = $1 AND account = 'receivable') AS receivable,
    (SELECT coalesce(sum(amount), 0)::int FROM ledger_entries
     WHERE workspace_id = $1 AND account = 'payments') AS payments`

export class Billing implements Part {
  readonly #world: World
  readonly #payer: PayingClient
  readonly #owner: Owner
  #invoices: string[] = []
  #keys: string[] = []

  constructor(world: World, payer: PayingClient, owner: Owner) {
    this.#world = world
    this.#payer = payer
    this.#owner = owner
  }

  async prepare(): Promise<void> {
    const { service } = this.#world
    const { headers, path } = this.#payer
    await service.call('PUT', `${path}/subscription`, {
      headers,
      body: { plan_id: 'pay-as-you-go' },
    })
    await this.#payer.addCard(service)
  }

  load(): Promise<unknown> {
    const random = this.#world.random(9)
    return Promise.all([this.#invoice(random), this.#pay(random)])
  }

  async #invoice(random: () => number): Promise<void> {
    const { round } = this.#world
    const add = this.#world.query(async (query) => {
      await query('BEGIN')
      await addWorkspaces(query, round, WORKSPACES)
      await query('COMMIT')
      this.#world.count('workspace', WORKSPACES)
      await sleep(random() * 400)
      await makeInvoices(query)
    })
    await add.catch(() => (this.#world.unknown += 1))
  }

  async #pay(random: () => number): Promise<void> {
    const world = this.#world
    this.#invoices = []
    this.#keys = Array.from(
      { length: EACH },
      (_none, n) => `top-up-${world.seed}-${world.round}-${n}`,
    )
    this.#payer.stripe.slow(random() * 200)
    const insert = world.query(async (query) => {
      const client = { query } as unknown as Parameters<typeof insertInvoices>[0]
      this.#invoices = await insertInvoices(client, world.place.workspaceUuid, EACH)
    })
    await insert.catch(() => (world.unknown += 1))
    await sleep(random() * 300)
    for (const response of await this.#payer.ask(world.service, this.#invoices, this.#keys)) {
      const status = response.status === 'fulfilled' ? response.value.status : 503
      if (status < 300) world.count('pay')
      else if (status === 503) world.unknown += 1
      else world.violate(`a payment was answered with ${status}`)
    }
  }

  async check(): Promise<void> {
    const world = this.#world
    const { stripe, headers } = this.#payer
    Object.assign(headers, await signIn(world.service, this.#owner))
    stripe.slow(0)
    const values = [world.place.workspaceUuid]
    const isPaid = async (): Promise<boolean> => {
      const [paid] = await world.rows<{ unpaid: number; open: number }>(PAID, values)
      return paid?.unpaid === 0 && paid.open === 0
    }
    await this.#payer.ask(world.service, this.#invoices, this.#keys)
    await world.query(async (query) => {
      for (const part of TIME_PASSES.split(';')) await query(part)
      await makeInvoices(query)
    })
    const ended = until(
      'invoices are made and paid',
      async () => {
        const [made] = await world.rows<Record<string, number>>(INVOICED)
        return (await isPaid()) && made?.['issued'] === made?.['workspaces']
      },
      END_MS,
    )
    await ended.catch(async (error: unknown) => {
      const open = await world.rows(`SELECT * FROM payments WHERE ended_at IS NULL`)
      const unpaid = await world.rows(`SELECT * FROM invoices WHERE status IN ('open', 'overdue')`)
      world.violate(`${String(error)}: ${JSON.stringify({ open, unpaid })}`)
    })
    for (const event of stripe.objects.events.splice(0)) await deliver(world.service.origin, event)
    stripe.requests.length = 0
    await this.#checkSums(values)
  }

  async #checkSums(values: unknown[]): Promise<void> {
    const world = this.#world
    const [made] = await world.rows<Record<string, number>>(INVOICED)
    const [paid] = await world.rows<Record<string, number>>(PAID, values)
    const { issued, each, highest, counted, received, audited, wrong, zero, uneven } = made ?? {}
    const isWhole = [each, highest, counted, received, audited].every((count) => count === issued)
    if (!isWhole || wrong !== 0) world.violate(`invoices: ${JSON.stringify(made)}`)
    if (zero !== 0 || uneven !== 0 || made?.['owed'] !== made?.['receivable']) {
      world.violate(`the ledger: ${JSON.stringify(made)}`)
    }
    const charges = this.#payer.stripe.objects.charges.map(({ paymentId }) => paymentId)
    if (new Set(charges).size !== charges.length) world.violate('a payment was charged twice')
    if (
      paid?.['payments'] !== charges.length * PAID_AMOUNT ||
      paid?.['receivable'] !== -(paid?.['paid'] ?? 0) * PAID_AMOUNT
    ) {
      world.violate(`payments: ${charges.length} charges, ${JSON.stringify(paid)}`)
    }
  }
}
