/** The partitions that an execution reads, as EXPLAIN ANALYZE reports. */
import pg from 'pg'
import { type TypedStatement } from '../../../src/platform/database/sql.ts'

interface Node {
  'Relation Name'?: string
  'Actual Loops'?: number
  'Subplans Removed'?: number
  Plans?: Node[]
}

export interface Executed {
  /** The partitions that were scanned, by table. */
  scanned: Map<string, Set<string>>
  /** Partitions that the plan has and the execution left out: removed at its start, or later. */
  leftOut: number
}

const PARTITION = /^(\w+)_p\d{3}$/

function visit(node: Node, executed: Executed): void {
  executed.leftOut += node['Subplans Removed'] ?? 0
  const name = node['Relation Name'] ?? ''
  const table = PARTITION.exec(name)?.[1]
  if (table !== undefined && node['Actual Loops'] === 0) executed.leftOut += 1
  if (table !== undefined && node['Actual Loops'] !== 0) {
    executed.scanned.set(table, (executed.scanned.get(table) ?? new Set()).add(name))
  }
  for (const plan of node.Plans ?? []) visit(plan, executed)
}

// As plans are on large tables, where they are kept for all values of the parameters.
const SETTINGS = `SET LOCAL plan_cache_mode = force_generic_plan;
  SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;
  SET LOCAL enable_material = off`

/** Whether a parameter of a statement is an array. */
export const isList = (text: string, at: number): boolean =>
  new RegExp(`\\$${at + 1}::\\w+\\[\\]`).test(text)

/**
 * Executes a statement, and takes back what it has changed.
 * @param values literals of its parameters, by name, of lists with `[]`; null for others
 */
export async function execute(
  client: pg.Client,
  { text, parameters }: Pick<TypedStatement, 'text' | 'parameters'>,
  values: Readonly<Record<string, string>>,
): Promise<Executed> {
  const literals = parameters.map((name, at) => {
    const value = values[isList(text, at) ? `${name}[]` : name]
    return value === undefined ? 'NULL' : pg.escapeLiteral(value)
  })
  await client.query('BEGIN')
  try {
    await client.query(SETTINGS)
    await client.query(`PREPARE executed AS ${text}`)
    const given = literals.length === 0 ? '' : `(${literals.join(', ')})`
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE executed ${given}`,
    )
    const executed: Executed = { scanned: new Map(), leftOut: 0 }
    for (const { 'QUERY PLAN': plans } of rows) visit(plans[0].Plan, executed)
    return executed
  } finally {
    await client.query('ROLLBACK; DEALLOCATE ALL')
  }
}
