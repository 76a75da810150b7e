/** Whether anything that names a tenant has changed, anywhere in the database. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatId, type IdPrefix } from '../../src/platform/lib/ids.ts'
import type { TestApp } from './app.ts'
import type { Tenant } from './tenants.ts'

/**
 * Every row that is written is noted as a text, before (-1) and after (+1): to compare the tables
 * themselves costs a hundred times as much, as most of what is in them never changes. Entries of
 * the audit log are appended to the chain in the background, a while after they were made: of the
 * chain, nothing is noted.
 */
const NOTE = `
  CREATE SCHEMA watched;
  CREATE TABLE watched.changes (name text NOT NULL, line text NOT NULL, sign int NOT NULL);
  CREATE FUNCTION watched.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO watched.changes
      VALUES (TG_TABLE_NAME, to_jsonb(OLD)::text, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO watched.changes
      VALUES (TG_TABLE_NAME, to_jsonb(NEW)::text, 1);
    END IF;
    RETURN NULL;
  END $$;
  CREATE FUNCTION watched.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'a table that is emptied tells nobody what was in it'; END $$;
  DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT quote_ident(table_name) FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
        AND table_name NOT IN ('audit_queue', 'audit_batches', 'audit_chains')
    LOOP
      EXECUTE 'CREATE TRIGGER watched AFTER INSERT OR UPDATE OR DELETE ON public.' || name ||
        ' FOR EACH ROW EXECUTE FUNCTION watched.note()';
      EXECUTE 'CREATE TRIGGER watched_whole BEFORE TRUNCATE ON public.' || name ||
        ' EXECUTE FUNCTION watched.refuse()';
    END LOOP;
  END $$`

/** Removed and new rows; a change that was taken back is none. */
const TAKE = `
  WITH taken AS (DELETE FROM watched.changes RETURNING name, line, sign)
  SELECT name, line, sum(sign)::int AS sign FROM taken
  WHERE line LIKE ANY ($1) GROUP BY name, line HAVING sum(sign) <> 0`

interface Change {
  name: string
  line: string
  sign: number
}

export class TenantChanges {
  readonly #app: TestApp
  readonly #names: string[] = []

  constructor(app: TestApp) {
    this.#app = app
  }

  /** Waits until nothing continues any more that began with the tenants. */
  async watch(tenants: readonly Tenant[]): Promise<void> {
    for (const { things } of tenants) {
      for (const [prefix, uuid] of Object.entries(things)) {
        // Ids with prefixes stand in the audit log and in events.
        this.#names.push(`%${uuid}%`, `%${formatId(prefix as IdPrefix, uuid)}%`)
      }
    }
    await this.#app.database.pool.query(NOTE)
    do await sleep(1_500)
    while ((await this.#take()).length > 0)
  }

  /** Asserts that nothing of any tenant that is watched has changed since the last time. */
  async requireUnchanged(): Promise<void> {
    assert.deepEqual(await this.#take(), [], 'something of the other tenant has changed')
  }

  async #take(): Promise<Change[]> {
    const { rows } = await this.#app.database.pool.query<Change>(TAKE, [this.#names])
    return rows
  }
}
