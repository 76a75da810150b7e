/**
 * Drops indexes, foreign keys and triggers of tables before they are filled, and recreates them.
 */
import type { Client } from 'pg'

/** How an index or a constraint is removed and restored. */
interface Removed {
  drop: string
  create: string
  is_reference: boolean
}

// Primary keys stay where others refer to them; rows come in their order.
const CONSTRAINTS = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname) AS drop,
         format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.conrelid::regclass, c.conname,
                       pg_get_constraintdef(c.oid)) AS create, c.contype = 'f' AS is_reference
  FROM pg_constraint c
  WHERE c.conrelid = ANY ($1::regclass[]) AND c.contype IN ('u', 'p', 'f')
    AND NOT (c.contype = 'p' AND c.conrelid = ANY ($2::regclass[]))`
const INDEXES = `
  SELECT format('DROP INDEX %s', i.indexrelid::regclass) AS drop,
         pg_get_indexdef(i.indexrelid) AS create, false AS is_reference
  FROM pg_index i
  WHERE i.indrelid = ANY ($1::regclass[])
    AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)`

/** Statements that restore removed indexes and references; those of one list may run at once. */
export interface Bare {
  indexes: string[]
  /** Once the indexes are there. */
  references: string[]
}

/** @param ordered tables whose rows come in the order of their primary key. */
export async function layBare(
  client: Client,
  tables: readonly string[],
  ordered: readonly string[],
): Promise<Bare> {
  const constraints = await client.query<Removed>(CONSTRAINTS, [tables, ordered])
  const indexes = await client.query<Removed>(INDEXES, [tables])
  const removed = [...constraints.rows, ...indexes.rows]
  for (const { drop } of removed) await client.query(drop)
  for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
  const createOf = (isReference: boolean): string[] =>
    removed.filter((each) => each.is_reference === isReference).map(({ create }) => create)
  const triggers = tables.map((table) => `ALTER TABLE ${table} ENABLE TRIGGER USER`)
  return { indexes: createOf(false), references: [...createOf(true), ...triggers] }
}
