/** The ledger: its lines add up to zero, once for each key, and stay as they were written. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { type LedgerLine, post, readSums } from '../../../../src/features/billing/ledger/ledger.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const RUNS = Number(process.env.MOORING_TEST_LEDGER_RUNS ?? 6)
const tenants = useTenants()

const line = (account: LedgerLine['account'], amount: number): LedgerLine => ({ account, amount })
const topUp = (amount: number) => [line('payments', amount), line('balance', -amount)]

const posting = (app: TestApp, key: string, lines: LedgerLine[], currency = 'EUR') => ({
  workspaceId: app.seed.uuid,
  key,
  currency,
  lines,
})

/** Runs SQL as the owner of the tables. */
const sql = (app: TestApp, text: string, values: unknown[] = []) =>
  app.database.query<Record<string, number>>(unnamed(text), values)

/** The model's state of an account; the ledger must say the same. */
type Model = Map<string, number>

const amounts = fc.integer({ min: 1, max: 10_000_000_000 })
/** Postings as the service makes them; `key` is taken from a few, so that some come again. */
const step = fc.record({
  key: fc.integer({ min: 0, max: 30 }),
  kind: fc.constantFrom('top-up', 'invoice', 'use', 'payment', 'void', 'gift'),
  amount: amounts,
  tax: fc.integer({ min: 0, max: 2_000 }),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

function linesOf({ kind, amount, tax }: Step): LedgerLine[] {
  switch (kind) {
    case 'top-up':
      return topUp(amount)
    case 'gift':
      return [line('adjustments', amount), line('balance', -amount)]
    case 'use':
      return [line('balance', amount), line('receivable', -amount)]
    case 'payment':
      return [line('payments', amount), line('receivable', -amount)]
    default: {
      const sign = kind === 'void' ? -1 : 1
      return [
        line('receivable', sign * (amount + tax)),
        line('revenue', -sign * amount),
        line('tax', -sign * tax),
      ]
    }
  }
}

async function follow(app: TestApp, steps: readonly Step[]): Promise<void> {
  const model: Model = new Map()
  const seen = new Map<number, LedgerLine[]>()
  for (const each of steps) {
    const earlier = seen.get(each.key)
    const lines = earlier ?? linesOf(each)
    const isNew = await app.database.transaction((trx) =>
      post(trx, posting(app, `step:${each.key}`, lines)),
    )
    assert.equal(isNew, earlier === undefined, 'a key is posted once')
    if (!isNew) continue
    seen.set(each.key, lines)
    for (const { account, amount } of lines) {
      model.set(account, (model.get(account) ?? 0) + amount)
    }
  }
  const rows = await sql(
    app,
    `SELECT coalesce(sum(amount), 0)::bigint AS sum, count(DISTINCT transaction_id) AS keys
     FROM ledger_entries WHERE workspace_id = $1`,
    [app.seed.uuid],
  )
  assert.deepEqual(rows, [{ sum: 0, keys: seen.size }])
  const { prepaid, receivable } = await readSums(app.database, app.seed.uuid, 'EUR')
  assert.equal(prepaid, 0 - (model.get('balance') ?? 0))
  assert.equal(receivable, model.get('receivable') ?? 0)
}

describe('the ledger', () => {
  test('sums to zero over any history, matches the model, and uses a key once', async (t) => {
    const app = await tenants(t)
    const history = fc.array(step, { minLength: 1, maxLength: 40 })
    for (const steps of fc.sample(history, RUNS)) {
      const fresh = { ...app, seed: (await tenants(t)).seed }
      await follow(fresh, steps)
    }
  })

  test('writes a key once, however many ask for it at once', async (t) => {
    const app = await tenants(t)
    const calls = Array.from({ length: 20 }, () =>
      app.database.transaction((trx) => post(trx, posting(app, 'payment:x', topUp(700)))),
    )
    assert.equal((await Promise.all(calls)).filter(Boolean).length, 1)
    assert.equal((await readSums(app.database, app.seed.uuid, 'EUR')).prepaid, 700)
  })

  test('refuses a key with other contents, and lines that do not sum to zero', async (t) => {
    const app = await tenants(t)
    const write = (lines: LedgerLine[], currency = 'EUR') =>
      app.database.transaction((trx) => post(trx, posting(app, 'k:1', lines, currency)))
    await write(topUp(5))
    await assert.rejects(write(topUp(6)), /stands for another/)
    await assert.rejects(write(topUp(5), 'USD'), /stands for another/)
    await assert.rejects(write([line('payments', 5), line('balance', -4)]), /do not add up/)
    await assert.rejects(write(topUp(0.5)), /cannot be converted to a BigInt/)
    await assert.rejects(write(topUp(2 ** 53)), /not exact/)
  })

  test('is held to its sum by the database as well', async (t) => {
    const app = await tenants(t)
    const write = (entries: number, lines: string) =>
      sql(
        app,
        `WITH t AS (
           INSERT INTO ledger_transactions (workspace_id, id, key, currency, entries)
           VALUES ($1, $2::uuid, $2::uuid::text, 'EUR', ${entries}) RETURNING workspace_id, id)
         INSERT INTO ledger_entries SELECT t.workspace_id, t.id, line.* FROM t, (VALUES ${lines})
           AS line (position, account, currency, amount)`,
        [app.seed.uuid, newUuid()],
      )
    const good = `(1, 'payments', 'EUR', 5), (2, 'balance', 'EUR', -5)`
    await write(2, good)
    const refusal = { code: '23514' }
    await assert.rejects(write(2, `(1, 'payments', 'EUR', 5), (2, 'balance', 'EUR', -4)`), refusal)
    await assert.rejects(write(3, good), refusal)
    await assert.rejects(write(2, `(1, 'payments', 'EUR', 5), (2, 'balance', 'USD', -5)`), refusal)
    const empty = `INSERT INTO ledger_transactions (workspace_id, id, key, currency, entries)
                   VALUES ($1, $2, 'empty', 'EUR', 2)`
    await assert.rejects(sql(app, empty, [app.seed.uuid, newUuid()]), refusal)
    const later = `INSERT INTO ledger_entries
                   SELECT workspace_id, transaction_id, position + 2, account, currency, amount
                   FROM ledger_entries WHERE workspace_id = $1`
    await assert.rejects(sql(app, later, [app.seed.uuid]), refusal)
  })

  test('is never changed and never deleted, not even by the owner of its tables', async (t) => {
    const app = await tenants(t)
    await app.database.transaction((trx) => post(trx, posting(app, 'k:1', topUp(5))))
    for (const table of ['ledger_entries', 'ledger_transactions']) {
      for (const change of [`UPDATE ${table} SET currency = 'USD'`, `DELETE FROM ${table}`]) {
        const where = `${change} WHERE workspace_id = $1`
        await assert.rejects(sql(app, where, [app.seed.uuid]), { constraint: 'billing_is_kept' })
        const { db } = app.database.within(app.seed.uuid)
        await assert.rejects(db.query(unnamed(where), [app.seed.uuid]), { code: '42501' })
      }
    }
  })

  test('is returned to its workspace entry by entry, newest first', async (t) => {
    const app = await tenants(t)
    const owner = { as: as.user(app.seed.owner.token) }
    const path = `/workspaces/${app.seed.id}/balance`
    for (const amount of [100, 20, 3]) {
      await app.database.transaction((trx) => post(trx, posting(app, `k:${amount}`, topUp(amount))))
    }
    const first = await app.call('GET', `${path}/entries?limit=2`, owner)
    assert.equal(first.status, 200, first.text)
    const next = await app.call('GET', `${path}/entries?cursor=${first.body.next_cursor}`, owner)
    const items = [...first.body.items, ...next.body.items] as { prepaid_change: number }[]
    assert.deepEqual(
      items.map(({ prepaid_change }) => prepaid_change),
      [3, 20, 100],
    )
    const wrong = await app.call('GET', `${path}/entries?cursor=x.y`, owner)
    assert.equal(wrong.body.code, 'invalid_cursor')
    const balance = await app.call('GET', path, owner)
    // Without a plan there is no currency to ask for.
    assert.deepEqual(balance.body, { currency: null, exponent: null, prepaid: 0, outstanding: 0 })
  })
})
