/**
 * The database role for requests: created if missing, and granted exactly what requests need. Roles
 * are server-wide, so several databases may share it. It cannot log in, owns nothing, and is
 * restricted by the tables' policies.
 */
import pg from 'pg'
import { codeOf } from '../lib/system-errors.ts'
import { type Connect, inTransaction, withClient } from './primary-client.ts'
import { DatabaseRefused } from './server.ts'

type Grants = readonly string[]

/** For tables that belong to workspaces, unless listed below. */
const ROWS_OF_A_WORKSPACE: Grants = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

/**
 * Tables shared by all workspaces, and tables to which requests may only append. Anything in
 * neither list is inaccessible: passwords, sessions, signing keys.
 */
const grantsOf: Readonly<Record<string, Grants>> = {
  // Updating an entry would hide it until the chain is verified.
  audit_log: ['SELECT', 'INSERT'],
  audit_queue: ['SELECT', 'INSERT'],
  audit_batches: ['SELECT'],
  audit_chains: ['SELECT'],
  audit_anchors: ['SELECT', 'INSERT'],
  device_template_versions: ['SELECT', 'INSERT'],
  events: ['SELECT', 'INSERT'],
  event_floors: ['SELECT'],
  changes: ['INSERT'],
  // Append-only; a trigger enforces this for the owner as well.
  ledger_transactions: ['SELECT', 'INSERT'],
  ledger_entries: ['SELECT', 'INSERT'],
  subscription_terms: ['SELECT', 'INSERT'],
  // Requests pay invoices; issuing them happens elsewhere.
  invoices: [
    'SELECT',
    'UPDATE (status)',
    'UPDATE (paid_at)',
    'UPDATE (revision)',
    'UPDATE (updated_at)',
  ],
  // Live processes, for revocation receipts.
  nodes: ['SELECT'],
  // Read-only: usage is written by the service.
  connected_samples: ['SELECT'],
  usage_entries: ['SELECT'],
  usage_days: ['SELECT'],
  usage_hours: ['SELECT'],
  usage_months: ['SELECT'],
  usage_thresholds: ['SELECT'],
  usage_horizon: ['SELECT'],
  idempotency_keys: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  // For locking the row only.
  moids: ['SELECT', 'UPDATE (check_at)'],
  users: ['SELECT (id)', 'SELECT (email)', 'SELECT (name)', 'SELECT (status)'],
  workspaces: ['SELECT', 'UPDATE'],
}

interface Table {
  name: string
  /** Quoted if necessary. */
  sql: string
  ofWorkspace: boolean
  /** In the format of `grantsOf`. */
  granted: string[]
}

// Partitions have no policies: nobody but the owner may name one.
const readTables = `
  SELECT c.relname AS name, c.oid::regclass::text AS sql,
    EXISTS (SELECT FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped)
      AS "ofWorkspace",
    ARRAY(SELECT p.privilege_type FROM aclexplode(c.relacl) p WHERE p.grantee = r.oid
          UNION ALL
          SELECT format('%s (%s)', p.privilege_type, a.attname)
          FROM pg_attribute a, aclexplode(a.attacl) p
          WHERE a.attrelid = c.oid AND NOT a.attisdropped AND p.grantee = r.oid) AS granted
  FROM pg_class c, pg_roles r
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT c.relispartition AND r.rolname = $1
  ORDER BY c.relname COLLATE "C"`

// Our SECURITY DEFINER functions are meant for requests.
const readFunctions = `
  SELECT p.oid::regprocedure::text AS sql FROM pg_proc p
  WHERE p.pronamespace = current_schema()::regnamespace AND p.prosecdef
    AND NOT has_function_privilege($1, p.oid, 'EXECUTE')`

// A role with the owner's rights would bypass the policies.
const readRole = `
  SELECT r.rolsuper OR r.rolbypassrls OR EXISTS (
    SELECT FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      AND pg_has_role(r.oid, c.relowner, 'MEMBER')) AS "isFree"
  FROM pg_roles r WHERE r.rolname = $1`

const NOT_ALLOWED = '42501'
/** Created concurrently by another process. */
const ALREADY_THERE = ['42710', '23505']
/** Arbitrary numbers that nothing else uses in this database. */
const LOCK = '1836019570, 2'

/** The statements that an administrator must run if the service lacks the privileges. */
const roleStatements = (role: string, user: string): string[] => [
  `CREATE ROLE ${pg.escapeIdentifier(role)} NOLOGIN;`,
  `GRANT ${pg.escapeIdentifier(role)} TO ${pg.escapeIdentifier(user)};`,
]

async function refuseHelplessly(client: pg.Client, role: string): Promise<never> {
  const { rows } = await client.query<{ user: string }>('SELECT current_user AS user')
  const statements = roleStatements(role, rows[0]?.user ?? '')
  throw new DatabaseRefused(
    `Requests run as the database role ${role}, which this login may not create or ` +
      'use. Ask an administrator of the server to run this once, then start again:\n' +
      statements.map((line) => `  ${line}\n`).join('') +
      'Or set MOORING_DATABASE_ROLE to another role; `none` turns row-level security off.',
  )
}

/** Runs a statement that may be refused for lack of privileges. @returns whether it succeeded */
async function attempt(client: pg.Client, sql: string): Promise<boolean> {
  try {
    await client.query(sql)
    return true
  } catch (error) {
    if (ALREADY_THERE.includes(codeOf(error))) return true
    if (codeOf(error) === NOT_ALLOWED) return false
    throw error
  }
}

async function requireRole(client: pg.Client, role: string): Promise<void> {
  const name = pg.escapeIdentifier(role)
  const find = () => client.query<{ isFree: boolean }>(readRole, [role])
  if ((await find()).rows.length === 0) {
    if (!(await attempt(client, `CREATE ROLE ${name} NOLOGIN`))) {
      return refuseHelplessly(client, role)
    }
  }
  const taken =
    (await attempt(client, `SET ROLE ${name}`)) ||
    ((await attempt(client, `GRANT ${name} TO CURRENT_USER`)) &&
      (await attempt(client, `SET ROLE ${name}`)))
  if (!taken) return refuseHelplessly(client, role)
  await client.query('RESET ROLE')
  if ((await find()).rows[0]?.isFree !== false) {
    throw new DatabaseRefused(
      `The database role ${role} cannot serve requests: it is a superuser, bypasses row security, ` +
        'or has the rights of the owner of the tables. MOORING_DATABASE_ROLE names another one.',
    )
  }
}

const wantedOf = ({ name, ofWorkspace }: Table): Grants =>
  grantsOf[name] ?? (ofWorkspace ? ROWS_OF_A_WORKSPACE : [])

/** The statements that give a table its intended grants. */
function statementsFor(table: Table, role: string): string[] {
  const wanted = wantedOf(table)
  if ([...wanted].sort().join() === [...table.granted].sort().join()) return []
  const all = [`REVOKE ALL ON ${table.sql} FROM ${role}`]
  if (wanted.length > 0) all.push(`GRANT ${wanted.join(', ')} ON ${table.sql} TO ${role}`)
  return all
}

async function grant(client: pg.Client, role: string): Promise<void> {
  const name = pg.escapeIdentifier(role)
  await inTransaction(client, async () => {
    // Concurrent changes of one table's grants would fail.
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`)
    const { rows: tables } = await client.query<Table>(readTables, [role])
    const { rows: schemas } = await client.query<{ sql: string; open: boolean }>(
      `SELECT quote_ident(current_schema()) AS sql,
              has_schema_privilege($1, current_schema(), 'USAGE') AS open`,
      [role],
    )
    for (const { sql, open } of schemas) {
      if (!open) await client.query(`GRANT USAGE ON SCHEMA ${sql} TO ${name}`)
    }
    const { rows: functions } = await client.query<{ sql: string }>(readFunctions, [role])
    for (const { sql } of functions)
      await client.query(`GRANT EXECUTE ON FUNCTION ${sql} TO ${name}`)
    for (const sql of tables.flatMap((table) => statementsFor(table, name))) await client.query(sql)
  })
}

/**
 * Prepares the role in a migrated database. Idempotent and safe in several processes at once: only
 * changes what differs.
 * @throws DatabaseRefused with instructions for an administrator
 */
export async function prepareRequestRole(connect: Connect, role: string): Promise<void> {
  await withClient(connect, async (client) => {
    await requireRole(client, role)
    await grant(client, role)
  })
}
