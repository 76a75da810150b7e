/** Whether anything that names a tenant has changed, anywhere in the database. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { formatId, type IdPrefix } from '../../src/lib/ids.ts'
import type { TestApp } from './app.ts'
import type { Tenant } from './tenants.ts'

/** Entries are sealed in the background, a while after they were made. */
const LINES: Readonly<Record<string, string>> = {
  audit_log: "(to_jsonb(t) - 'seq' - 'hash')::text",
  audit_chains: "''",
}

type Sums = Readonly<Record<string, string>>

async function tablesOf({ database }: TestApp): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

export class TenantSums {
  readonly #app: TestApp
  /** Those after one comparison are those before the next one. */
  readonly #last = new Map<Tenant, Sums>()
  #text: string | undefined

  constructor(app: TestApp) {
    this.#app = app
  }

  /** Waits until nothing goes on any more that began with the tenant. */
  async watch(tenant: Tenant): Promise<void> {
    for (let before = await this.#read(tenant); ; ) {
      await sleep(1_500)
      const now = await this.#read(tenant)
      this.#last.set(tenant, now)
      if (isDeepStrictEqual(now, before)) return
      before = now
    }
  }

  async demandUnchanged(tenant: Tenant): Promise<void> {
    const now = await this.#read(tenant)
    const before = this.#last.get(tenant)
    this.#last.set(tenant, now)
    assert.deepEqual(now, before, 'something of the other tenant has changed')
  }

  /** A sum over every row that names anything of the tenant, for each table. */
  async #read({ things }: Tenant): Promise<Sums> {
    const names = Object.values(things).map((uuid) => `%${uuid}%`)
    // Ids with prefixes stand in the audit log and in events.
    for (const [prefix, uuid] of Object.entries(things)) {
      names.push(`%${formatId(prefix as IdPrefix, uuid)}%`)
    }
    this.#text ??= (await tablesOf(this.#app))
      .map(
        (table) => `SELECT '${table}' AS name, md5(string_agg(line, E'\\n' ORDER BY line)) AS sum
          FROM (SELECT ${LINES[table] ?? 't::text'} AS line FROM ${table} t) AS lines
          WHERE line LIKE ANY ($1)`,
      )
      .join(' UNION ALL ')
    const { pool } = this.#app.database
    const { rows } = await pool.query<{ name: string; sum: string }>(this.#text, [names])
    return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
  }
}
