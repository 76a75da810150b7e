/** The rows with which the operations on certificates of a tenant's domain succeed. */
import { newUuid } from '../../src/platform/lib/ids.ts'
import { as, type TestApp } from './app.ts'
import { makeAuthority } from './certificates.ts'
import { idOf, type Tenant } from './tenants.ts'

async function verify({ database }: TestApp, { things }: Tenant): Promise<string> {
  const { rows } = await database.pool.query<{ name: string }>(
    `UPDATE domains SET status = 'verified', name = 'seeded-' || right($1::text, 12) || '.example.com'
     WHERE id = $1 RETURNING name`,
    [things.dom],
  )
  return rows[0]?.name ?? ''
}

async function certificate(app: TestApp, own: Tenant) {
  const root = makeAuthority()
  const { cert, key } = root.issue(await verify(app, own))
  return { certificate_pem: cert + root.cert, private_key_pem: key }
}

/** By the ids of operations: their preparations, and the body that they take then. */
export const preparedCertificates = {
  uploadDomainCertificate: certificate,
  async removeDomainCertificate(app: TestApp, own: Tenant) {
    const path = `/workspaces/${own.workspace.id}/domains/${idOf(own, 'dom')}/certificate`
    const body = await certificate(app, own)
    await app.call('PUT', path, { as: as.platformKey(own.workspace.platformKey), body })
  },
  async orderDomainCertificate(app: TestApp, own: Tenant) {
    await verify(app, own)
  },
  async continueDomainCertificateOrder(app: TestApp, own: Tenant) {
    await verify(app, own)
    await app.database.pool.query(
      `INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, status, proof,
                                next_at, created_by, expires_at)
       VALUES ($1, $2, $3, 'x', 'dns-01', 'waiting', 'x', NULL, 'seed', now() + interval '1 day')`,
      [own.workspace.uuid, newUuid(), own.things.dom],
    )
  },
}
