/** Queries on certificates for TLS clients, across workspaces. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface ServedRow {
  workspace_id: string
  domain_id: string
  /** The certificate's id. */
  id: string
  name: string
  /** False if another workspace owns the name now, which may change back. */
  is_shown: boolean
}

// Includes lapsed domains that nobody else owns: devices still connect through them.
const isShown = `NOT EXISTS (
  SELECT FROM domains o WHERE o.name = d.name AND o.status <> 'pending'
    AND (o.status = 'verified', o.verified_at, o.id) > (d.status = 'verified', d.verified_at, d.id))`
const columns = `c.workspace_id, c.domain_id, c.id, d.name, ${isShown} AS is_shown`
const certified = `FROM domain_certificates c
  JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
  WHERE d.status <> 'pending'`

const page = statement(
  'domain_certificates.served_page',
  `SELECT ${columns} ${certified} AND (c.workspace_id, c.domain_id) > ($1, $2)
   ORDER BY c.workspace_id, c.domain_id LIMIT $3`,
)
const ofWorkspace = statement(
  'domain_certificates.served_of_workspace',
  `SELECT ${columns} ${certified} AND c.workspace_id = $1`,
)
const material = statement(
  'domain_certificates.material',
  `SELECT id, chain, sealed_key FROM domain_certificates
   WHERE workspace_id = $1 AND domain_id = $2 AND id = $3`,
)

const FIRST = '00000000-0000-0000-0000-000000000000'
const PAGE = 1_000

/** All certificates, served or not, page by page. */
export async function* readServed(db: Db): AsyncGenerator<readonly ServedRow[]> {
  let after = [FIRST, FIRST]
  for (;;) {
    const rows = await db.query<ServedRow>(page, [...after, PAGE])
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = [last.workspace_id, last.domain_id]
  }
}

export const readServedOf = (db: Db, workspaceId: string): Promise<ServedRow[]> =>
  db.query<ServedRow>(ofWorkspace, [workspaceId])

export interface MaterialRow {
  id: string
  chain: string
  sealed_key: Buffer
}

export async function findMaterial(
  db: Db,
  { workspace_id, domain_id, id }: ServedRow,
): Promise<MaterialRow | undefined> {
  return (await db.query<MaterialRow>(material, [workspace_id, domain_id, id]))[0]
}
