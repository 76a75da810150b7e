/** Queries on certificates for TLS clients, across workspaces. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type ServedRow = RowOf<typeof page>

// Includes lapsed domains that nobody else owns: devices still connect through them.
const isShown = `NOT EXISTS (
  SELECT FROM domains o WHERE o.name = d.name AND o.status <> 'pending'
    AND (o.status = 'verified', o.verified_at, o.id) > (d.status = 'verified', d.verified_at,
      d.id))`
const columns = `c.workspace_id, c.domain_id, c.id, d.name, ${isShown} AS is_shown!`
const certified = `FROM domain_certificates c
  JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
  WHERE d.status <> 'pending'`

const page = sql(
  'domain_certificates.served_page',
  `SELECT ${columns} ${certified}
     AND (c.workspace_id, c.domain_id) > ($afterWorkspace, $afterDomain)
   ORDER BY c.workspace_id, c.domain_id LIMIT $limit`,
)
export const readServedOf = sql(
  'domain_certificates.served_of_workspace',
  `SELECT ${columns} ${certified} AND c.workspace_id = $workspaceId`,
)
export const findMaterial = sql(
  'domain_certificates.material',
  `SELECT id, chain, sealed_key FROM domain_certificates
   WHERE workspace_id = $workspaceId AND domain_id = $domainId AND id = $id`,
)

const FIRST = '00000000-0000-0000-0000-000000000000'
const PAGE = 1_000

/** All certificates, served or not, page by page. */
export async function* readServed(db: Db): AsyncGenerator<readonly ServedRow[]> {
  let after = { afterWorkspace: FIRST, afterDomain: FIRST }
  for (;;) {
    const rows = await page.rows(db, { ...after, limit: PAGE })
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = { afterWorkspace: last.workspace_id, afterDomain: last.domain_id }
  }
}
