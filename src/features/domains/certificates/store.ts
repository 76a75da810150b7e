/** Queries on domains' certificates. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface DomainRow {
  id: string
  name: string
  status: 'pending' | 'verified' | 'lapsed'
}

export interface CertificateRow {
  workspace_id: string
  domain_id: string
  id: string
  source: 'upload' | 'acme'
  challenge: 'http-01' | 'dns-01' | null
  names: string[]
  issuer: string
  serial_number: string
  fingerprint: string
  key_type: string
  not_before: number
  not_after: number
  renew_at: number | null
  revision: number
  created_at: number
}

const columns = `workspace_id, domain_id, id, source, challenge, names, issuer, serial_number,
  fingerprint, key_type, not_before, not_after, renew_at, revision, created_at`

const domain = statement(
  'domain_certificates.domain',
  'SELECT id, name, status FROM domains WHERE workspace_id = $1 AND id = $2',
)
// Serializes changes of a domain's certificate and orders.
const lockDomain = statement('domain_certificates.lock_domain', `${domain.text} FOR NO KEY UPDATE`)
const find = statement(
  'domain_certificates.find',
  `SELECT ${columns} FROM domain_certificates WHERE workspace_id = $1 AND domain_id = $2`,
)
const put = statement(
  'domain_certificates.put',
  `INSERT INTO domain_certificates AS c (workspace_id, domain_id, id, source, challenge, chain,
     sealed_key, names, issuer, serial_number, fingerprint, key_type, not_before, not_after,
     renew_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, to_timestamp($13::float8 / 1000),
           to_timestamp($14::float8 / 1000), to_timestamp($15::float8 / 1000))
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
const remove = statement(
  'domain_certificates.remove',
  'DELETE FROM domain_certificates WHERE workspace_id = $1 AND domain_id = $2',
)

export async function findDomain(
  db: Db,
  workspaceId: string,
  domainId: string,
): Promise<DomainRow | undefined> {
  return (await db.query<DomainRow>(domain, [workspaceId, domainId]))[0]
}

export async function lockDomainRow(
  db: Db,
  workspaceId: string,
  domainId: string,
): Promise<DomainRow | undefined> {
  return (await db.query<DomainRow>(lockDomain, [workspaceId, domainId]))[0]
}

export async function findCertificate(
  db: Db,
  workspaceId: string,
  domainId: string,
): Promise<CertificateRow | undefined> {
  return (await db.query<CertificateRow>(find, [workspaceId, domainId]))[0]
}

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

/** Replaces the domain's certificate. */
export async function putCertificate(db: Db, given: NewCertificate): Promise<CertificateRow> {
  const [row] = await db.query<CertificateRow>(put, [
    given.workspaceId,
    given.domainId,
    given.id,
    given.source,
    given.challenge,
    given.chain,
    given.sealedKey,
    given.names,
    given.issuer,
    given.serialNumber,
    given.fingerprint,
    given.keyType,
    given.notBefore,
    given.notAfter,
    given.renewAt,
  ])
  return row as CertificateRow
}

export async function deleteCertificate(
  db: Db,
  workspaceId: string,
  domainId: string,
): Promise<void> {
  await db.query(remove, [workspaceId, domainId])
}
