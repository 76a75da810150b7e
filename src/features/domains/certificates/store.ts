/** Queries on domains' certificates. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type DomainRow = RowOf<typeof findDomain>

export type CertificateRow = RowOf<typeof findCertificate>

const columns = `workspace_id, domain_id, id, source, challenge, names, issuer, serial_number,
  fingerprint, key_type, not_before, not_after, renew_at, revision, created_at`

export const findDomain = sql(
  'domain_certificates.domain',
  'SELECT id, name, status FROM domains WHERE workspace_id = $workspaceId AND id = $id',
)
// Serializes changes of a domain's certificate and orders.
export const lockDomainRow = sql(
  'domain_certificates.lock_domain',
  `${findDomain.source} FOR NO KEY UPDATE`,
)
export const findCertificate = sql(
  'domain_certificates.find',
  `SELECT ${columns} FROM domain_certificates WHERE workspace_id = $workspaceId
     AND domain_id = $domainId`,
)
/** Replaces the domain's certificate. */
export const putCertificate = sql(
  'domain_certificates.put',
  `INSERT INTO domain_certificates AS c (workspace_id, domain_id, id, source, challenge, chain,
     sealed_key, names, issuer, serial_number, fingerprint, key_type, not_before, not_after,
     renew_at)
   VALUES ($workspaceId, $domainId, $id, $source, $challenge?, $chain, $sealedKey, $names, $issuer, $serialNumber, $fingerprint, $keyType, to_timestamp($notBefore::float8 / 1000),
           to_timestamp($notAfter::float8 / 1000), to_timestamp($renewAt?::float8 / 1000))
   ON CONFLICT (workspace_id, domain_id) DO UPDATE SET
     id = excluded.id, source = excluded.source, challenge = excluded.challenge,
     chain = excluded.chain, sealed_key = excluded.sealed_key, names = excluded.names,
     issuer = excluded.issuer, serial_number = excluded.serial_number,
     fingerprint = excluded.fingerprint, key_type = excluded.key_type,
     not_before = excluded.not_before, not_after = excluded.not_after,
     renew_at = excluded.renew_at, warned_days = NULL, renewal_look_at = now(),
     revision = c.revision + 1, created_at = now()
   RETURNING ${columns}`,
)
export const deleteCertificate = sql(
  'domain_certificates.remove',
  'DELETE FROM domain_certificates WHERE workspace_id = $workspaceId AND domain_id = $domainId',
)

export interface NewCertificate {
  workspaceId: string
  domainId: string
  id: string
  source: 'upload' | 'acme'
  challenge: 'http-01' | 'dns-01' | null
  chain: string
  sealedKey: Buffer
  names: readonly string[]
  issuer: string
  serialNumber: string
  fingerprint: string
  keyType: string
  /** Milliseconds since the epoch, as the next two. */
  notBefore: number
  notAfter: number
  renewAt: number | null
}
