/** Queries on domains. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

export interface LookError {
  code: 'record_missing' | 'record_differs' | 'dns_failure' | 'taken'
  message: string
}

export interface DomainRow {
  workspace_id: string
  id: string
  name: string
  purpose: 'mqtt' | 'api'
  status: 'pending' | 'verified' | 'lapsed'
  value: string
  verified_at: number | null
  failing_since: number | null
  warned_at: number | null
  checked_at: number | null
  last_error: LookError | null
  created_by: string
  revision: number
  created_at: number
  updated_at: number
  certificate: { source: 'upload' | 'acme'; fingerprint: string; not_after: number } | null
}

const own = `workspace_id, id, name, purpose, status, value, verified_at, failing_since,
  warned_at, checked_at, last_error, created_by, revision, created_at, updated_at`
const columns = `${own}, (
  SELECT json_build_object('source', c.source, 'fingerprint', c.fingerprint,
                           'not_after', extract(epoch FROM c.not_after) * 1000)
  FROM domain_certificates c
  WHERE c.workspace_id = domains.workspace_id AND c.domain_id = domains.id) AS certificate`

const insert = statement(
  'domains.insert',
  `INSERT INTO domains (workspace_id, id, name, purpose, value, created_by)
   VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${columns}`,
)
// A separate statement, which sees what was committed before it got the lock.
const hold = statement(
  'domains.hold_workspace',
  'SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
)
const count = statement(
  'domains.count',
  'SELECT count(*) AS n FROM domains WHERE workspace_id = $1',
)
const byId = statement(
  'domains.by_id',
  `SELECT ${columns} FROM domains WHERE workspace_id = $1 AND id = $2`,
)
const lock = statement(
  'domains.lock',
  `SELECT ${columns}, now() AS now FROM domains WHERE workspace_id = $1 AND id = $2 FOR UPDATE`,
)
const remove = statement(
  'domains.remove',
  'DELETE FROM domains WHERE workspace_id = $1 AND id = $2',
)
// Checks are spread with jitter, so that domains added together do not stay in step.
const settle = statement(
  'domains.settle',
  `UPDATE domains
   SET status = $3,
       verified_at = CASE WHEN $3 = 'verified' AND status <> 'verified' THEN now()
                          ELSE verified_at END,
       failing_since = to_timestamp($4::float8 / 1000), warned_at = to_timestamp($5::float8 / 1000),
       checked_at = now(), last_error = $6,
       next_check_at = CASE WHEN $3 <> 'pending'
         THEN now() + make_interval(secs => $7 * (0.9 + 0.2 * random())) END,
       revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
// Takes due rows for a limited time; those of a killed process become due again.
const takeDue = statement(
  'domains.take_due',
  `UPDATE domains d SET next_check_at = now() + make_interval(secs => $2)
   FROM (SELECT workspace_id, id FROM domains WHERE next_check_at <= now()
         ORDER BY next_check_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
   WHERE d.workspace_id = due.workspace_id AND d.id = due.id
   RETURNING d.workspace_id, d.id, d.name, d.value`,
)

const list: FilteredTable<DomainRow> = {
  idOf: ({ id }) => id,
  columns: `${own}, certificate`,
  table: `(SELECT ${columns} FROM domains) domains`,
  fields: {
    name: { sql: 'name' },
    purpose: { sql: 'purpose' },
    status: { sql: 'status' },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
}

export type NewDomain = Pick<DomainRow, 'name' | 'purpose' | 'value'> & {
  workspaceId: string
  id: string
  createdBy: string
}

export async function insertDomain(db: Db, domain: NewDomain): Promise<DomainRow> {
  const { workspaceId, id, name, purpose, value, createdBy } = domain
  const values = [workspaceId, id, name, purpose, value, createdBy]
  return (await db.query<DomainRow>(insert, values))[0] as DomainRow
}

/** The number of a workspace's domains; blocks additions until the transaction ends. */
export async function countDomains(trx: Db, workspaceId: string): Promise<number> {
  await trx.query(hold, [workspaceId])
  return (await trx.query<{ n: number }>(count, [workspaceId]))[0]?.n ?? 0
}

export const pageOfDomains = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

export async function findDomain(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<DomainRow | undefined> {
  return (await db.query<DomainRow>(byId, [workspaceId, id]))[0]
}

/** With the transaction's time, in milliseconds since the epoch. */
export type LockedDomain = DomainRow & { now: number }

export async function lockDomain(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<LockedDomain | undefined> {
  return (await db.query<LockedDomain>(lock, [workspaceId, id]))[0]
}

export async function removeDomain(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(remove, [workspaceId, id])
}

/** The result of a check, and when to check next. */
export interface Settlement
  extends Pick<DomainRow, 'status' | 'failing_since' | 'warned_at' | 'last_error'> {
  /** Seconds, with 10 % jitter. */
  nextInSeconds: number
}

export async function settleDomain(
  db: Db,
  { workspace_id, id }: Pick<DomainRow, 'workspace_id' | 'id'>,
  to: Settlement,
): Promise<DomainRow> {
  const error = to.last_error === null ? null : JSON.stringify(to.last_error)
  const rest = [to.status, to.failing_since, to.warned_at, error, to.nextInSeconds]
  return (await db.query<DomainRow>(settle, [workspace_id, id, ...rest]))[0] as DomainRow
}

export type DueDomain = Pick<DomainRow, 'workspace_id' | 'id' | 'name' | 'value'>

/** Takes due domains: no other process gets them for `seconds`. */
export const takeDueDomains = (db: Db, most: number, seconds: number): Promise<DueDomain[]> =>
  db.query(takeDue, [most, seconds])
