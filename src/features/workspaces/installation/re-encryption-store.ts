/** Queries that walk through the encrypted values of a column. */
import type { Db } from '../../../platform/database/connect.ts'
import type { Statement } from '../../../platform/database/query.ts'

/** A column that holds encrypted values. */
export interface EncryptedColumn {
  table: string
  column: string
  /** Columns that identify a row, and their types. */
  key: Readonly<Record<string, 'uuid' | 'text'>>
  /** The associated data of a row's value. */
  boundTo: (row: Readonly<Record<string, string>>) => string
}

export type EncryptedRow = Record<string, string> & { sealed: Buffer }

const list = (names: readonly string[]): string => names.join(', ')

/** The names come from the code, never from input. */
function findIn({ table, column, key }: EncryptedColumn): Statement {
  const names = Object.keys(key)
  const after = names.map((name, at) => `$${at + 4}::${key[name]}`)
  return {
    name: `re_encrypt.find.${table}.${column}`,
    text: `SELECT ${list(names)}, ${column} AS sealed FROM ${table}
     WHERE get_byte(${column}, 0) <> $1 AND ($3 OR (${list(names)}) > (${list(after)}))
     ORDER BY ${list(names)} LIMIT $2`,
  }
}

// Not if it was changed meanwhile, by a process that has encrypted it with the current root key.
function writeIn({ table, column, key }: EncryptedColumn): Statement {
  const matches = Object.keys(key).map((name, at) => `${name} = $${at + 3}`)
  return {
    name: `re_encrypt.write.${table}.${column}`,
    text: `UPDATE ${table} SET ${column} = $2 WHERE ${column} = $1 AND ${matches.join(' AND ')}`,
  }
}

const keyOf = ({ key }: EncryptedColumn, row: EncryptedRow | undefined): (string | null)[] =>
  Object.keys(key).map((name) => row?.[name] ?? null)

/** Rows after `last` whose value is encrypted with another root key, in the order of their keys. */
export const findEncrypted = (
  trx: Db,
  column: EncryptedColumn,
  currentRoot: number,
  limit: number,
  last: EncryptedRow | undefined,
): Promise<EncryptedRow[]> =>
  trx.query<EncryptedRow>(findIn(column), [
    currentRoot,
    limit,
    last === undefined,
    ...keyOf(column, last),
  ])

export async function writeEncrypted(
  trx: Db,
  column: EncryptedColumn,
  row: EncryptedRow,
  sealed: Buffer,
): Promise<void> {
  await trx.query(writeIn(column), [row.sealed, sealed, ...keyOf(column, row)])
}
