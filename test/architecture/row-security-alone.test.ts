/**
 * The stores' own statements without their own conditions: conditions that kept tenants apart are
 * removed from the text, and the database still shows, changes and takes nothing of another tenant.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import {
  type Db,
  type Scope,
  type Statement,
  type Transaction,
  unnamed,
} from '../../src/platform/database/connect.ts'
import { operations } from '../../src/operations.ts'
import { routeOf } from '../../src/platform/http/operation.ts'
import { sameOrigin, type TestApp } from '../support/app.ts'
import { secondServer } from '../support/second-server.ts'
import { useApp } from '../support/suite-app.ts'
import { idOf, seedTenant, type Tenant } from '../support/tenants.ts'

const CONDITION = /\b(?:\w+\.)?workspace_id = (\$\d+)(?!\d)/g
const WALK = /\(workspace_id, (\w+)\) ([<>]=?) \((\$\d+), ((?:\$\d+|'[^']*')::\w+)\)/g
const OF_WORKSPACE = /\b(FROM workspaces(?: \w+)? WHERE )(?:\w+\.)?id = (\$\d+)(?!\d)/g

/** The parameter stays, so that the server knows its type, and says nothing. */
const blindText = (text: string): string =>
  text
    .replaceAll(CONDITION, '($1::uuid IS NOT NULL)')
    .replaceAll(WALK, '($3::uuid IS NOT NULL AND $1 $2 $4)')
    .replaceAll(OF_WORKSPACE, '$1($2::uuid IS NOT NULL)')

const blind = ({ text }: Statement): Statement => unnamed(blindText(text))

const blindTransaction = (trx: Transaction): Transaction => ({
  inTransaction: true,
  query: (statement, values) => trx.query(blind(statement), values),
  transaction: (work) => trx.transaction((inner) => work(blindTransaction(inner))),
  afterCommit: (effect) => trx.afterCommit(effect),
})

const blindDb = (db: Db): Db => ({
  query: (statement, values) => db.query(blind(statement), values),
  transaction: (work) => db.transaction((trx) => work(blindTransaction(trx))),
  afterCommit: (effect) => db.afterCommit(effect),
})

const blindScope = ({ db, points }: Scope): Scope => ({
  db: blindDb(db),
  points: { query: (statement, values) => points.query(blind(statement), values) },
})

const inWorkspace = operations.filter(
  ({ path, access }) => path.startsWith('/workspaces/:id') && access !== 'public',
)

const MAX_TRIES = 100

/** The findings of `check` while `whole` stays as it is: counts are written meanwhile. */
async function still<Found, Whole>(
  check: () => Promise<Found>,
  whole: () => Promise<Whole>,
): Promise<[Found, Whole]> {
  let before = await whole()
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = await check()
    const after = await whole()
    if (isDeepStrictEqual(before, after)) return [found, after]
    before = after
  }
  throw new Error(`it changes all the time: ${JSON.stringify(before)}`)
}

describe('without the conditions of the statements', () => {
  const get = useApp()
  let app: TestApp
  let own: Tenant
  let other: Tenant
  /** Both with blind statements: one under row-level security, one without it. */
  let restricted: FastifyInstance
  let open: FastifyInstance

  before(async () => {
    app = get()
    own = await seedTenant(app, app.seed)
    other = await seedTenant(app, app.seed.other)
    const { services } = app
    const { database } = app.app
    const within = (scope: Scope) => ({ ...services, ...blindScope(scope) })
    restricted = secondServer(app, operations, { within: (id) => within(database.within(id)) })
    open = secondServer(app, operations, {
      within: () => within({ db: database, points: database.points }),
    })
    // Work that began with the tenants, like the appends to their audit chains, continues for a
    // while.
    for (let earlier = ''; earlier !== (await rowsOfOther()); await sleep(1_500)) {
      earlier = await rowsOfOther()
    }
  })
  after(() => Promise.all([restricted.close(), open.close()]))

  /** The workspace of the path is one's own; all else is the other's. */
  const foreignPath = (operation: (typeof operations)[number]): string =>
    routeOf(operation).replaceAll(/:([a-z_]+)/g, (_whole, name: string) =>
      idOf(name === 'id' ? own : other, operation.params[name]?.prefix ?? 'ws'),
    )

  async function call(
    server: FastifyInstance,
    operation: (typeof operations)[number],
    path: string,
  ) {
    const { method, example } = operation
    const response = await server.inject({
      method,
      url: path,
      headers: { ...sameOrigin, ...own.callers.user[0] },
      ...(method !== 'GET' && { payload: example ?? {} }),
    })
    // The stand-in for a response waits for its timeout though it has ended.
    clearTimeout((response.raw.res as { timeoutHandle?: NodeJS.Timeout }).timeoutHandle)
    return { status: response.statusCode, text: response.body }
  }

  const rowsOfOther = async (): Promise<string> => {
    const { rows } = await app.database.pool.query<{ sum: string }>(
      `SELECT string_agg(md5(t.line), '' ORDER BY t.line) AS sum FROM (
         ${(await tables()).map(({ name, key }) => `SELECT x::text AS line FROM ${name} x WHERE ${key} = $1`).join(' UNION ALL ')}
       ) t`,
      [other.workspace.uuid],
    )
    return rows[0]?.sum ?? ''
  }

  async function tables(): Promise<{ name: string; key: string }[]> {
    const { rows } = await app.database.pool.query<{ name: string; key: string }>(
      `SELECT quote_ident(table_name) AS name, column_name AS key
       FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
         AND column_name = CASE table_name WHEN 'workspaces' THEN 'id' ELSE 'workspace_id' END
       ORDER BY 1`,
    )
    return rows
  }

  const withMoreIds = inWorkspace.filter(({ params }) => Object.keys(params).length > 1)

  for (const operation of withMoreIds) {
    test(`${operation.method} ${operation.path} finds nothing of another tenant`, async () => {
      const earlier = await rowsOfOther()
      const { status, text } = await call(restricted, operation, foreignPath(operation))
      assert.equal(status, 404, text)
      assert.equal(await rowsOfOther(), earlier, 'something of the other tenant has changed')
    })
  }

  const lists = inWorkspace.filter(
    ({ method, params }) => method === 'GET' && Object.keys(params).length === 1,
  )

  for (const operation of lists) {
    test(`${operation.method} ${operation.path} returns the same as with the conditions`, async () => {
      const path = routeOf(operation).replace(':id', idOf(own, 'ws'))
      const as = own.callers.user[0] ?? {}
      const [{ status, text }, whole] = await still(
        () => call(restricted, operation, path),
        async () => (await app.call('GET', path, { as })).text,
      )
      assert.equal(status, 200, text)
      assert.equal(text, whole)
    })
  }

  test('the same statements show other tenants without row-level security, so the law is not blind', async () => {
    const shown: string[] = []
    for (const operation of [...withMoreIds, ...lists].filter(({ method }) => method === 'GET')) {
      const { status, text } = await call(open, operation, foreignPath(operation))
      const things = Object.keys(other.things).map((prefix) => idOf(other, prefix as never))
      if (status === 200 && things.some((id) => text.includes(id))) shown.push(operation.id)
    }
    assert.ok(shown.length >= 8, shown.join(' '))
    for (const id of [
      'listDeviceTemplates',
      'listDeviceGroups',
      'listJobs',
      'listRotationCampaigns',
    ])
      assert.ok(shown.includes(id), id)
  })

  test('every table shows its own rows alone, changes no others, and takes none', async () => {
    const { pool } = app.database
    const { db } = app.database.within(own.workspace.uuid)
    let foreign = 0
    for (const { name, key } of await tables()) {
      const count = `SELECT count(*) FILTER (WHERE ${key} = $1) AS own, count(*) AS all FROM ${name}`
      const values = [own.workspace.uuid]
      const whole = async () =>
        (await pool.query<{ own: number; all: number }>(count, values)).rows[0]
      const [shown, { own: mine, all } = { own: 0, all: 0 }] = await still(
        async () => (await db.query<{ all: number }>(unnamed(count), values))[0]?.all,
        whole,
      )
      assert.equal(shown, mine, `${name} shows what is not its own`)
      if (all > mine) foreign += 1
    }
    assert.ok(foreign >= 10, 'there was something to see')
  })

  /** Runs a statement for one's own workspace and takes it back. @returns how many rows it met. */
  async function tryOut(text: string, values: readonly unknown[] = []): Promise<number> {
    const { db } = app.database.within(own.workspace.uuid)
    const undo = new Error('taken back')
    let met = 0
    await db
      .transaction(async (trx) => {
        met = (await trx.query(unnamed(text), values)).length
        throw undo
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error
      })
    return met
  }

  const may = async (name: string, right: string): Promise<boolean> => {
    const { rows } = await app.database.pool.query<{ may: boolean }>(
      `SELECT has_table_privilege('mooring_requests', $1, $2) AS may`,
      [name, right],
    )
    return rows[0]?.may === true
  }

  test('a change of everything changes only own rows', async () => {
    const { pool } = app.database
    for (const { name, key } of await tables()) {
      const sql = `SELECT FROM ${name} WHERE ${key} = $1`
      const rowsOfOwn = async () => (await pool.query(sql, [own.workspace.uuid])).rows.length
      const update = `UPDATE ${name} SET ${key} = ${key} RETURNING 1`
      if (await may(name, 'UPDATE')) {
        const [met, ownRows] = await still(() => tryOut(update), rowsOfOwn)
        assert.equal(met, ownRows, name)
      } else await assert.rejects(tryOut(update), { code: '42501' }, name)
      if (!(await may(name, 'DELETE'))) {
        await assert.rejects(tryOut(`DELETE FROM ${name}`), { code: '42501' }, name)
        continue
      }
      const [met, ownRows] = await still(
        () =>
          tryOut(`DELETE FROM ${name} RETURNING 1`).catch(({ code }: { code?: string }) => code),
        rowsOfOwn,
      )
      // A row that is referred to stays for that reason already.
      if (met !== '23503') assert.equal(met, ownRows, name)
    }
  })

  test('no row is put into another workspace, nor moved there', async () => {
    const { pool } = app.database
    let tried = 0
    for (const { name, key } of await tables()) {
      const { rows } = await pool.query<{ row: string; columns: string }>(
        `SELECT to_jsonb(t)::text AS row, (
           SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
           WHERE table_schema = 'public' AND quote_ident(table_name) = $2
             AND is_generated = 'NEVER') AS columns
         FROM ${name} t WHERE ${key} = $1 LIMIT 1`,
        [other.workspace.uuid, name],
      )
      const [found] = rows
      if (found === undefined) continue
      tried += 1
      const insert = `INSERT INTO ${name} (${found.columns})
        SELECT ${found.columns} FROM jsonb_populate_record(NULL::${name}, $1::jsonb)`
      await assert.rejects(tryOut(insert, [found.row]), { code: '42501' }, name)
      await assert.rejects(
        tryOut(`UPDATE ${name} SET ${key} = '${other.workspace.uuid}'`).then((met) => {
          throw new Error(`${name}: ${met}`)
        }),
        { code: '42501' },
      )
    }
    assert.ok(tried >= 7, 'there was something to copy')
  })
})
