/** The rules of domains' certificates: uploaded, served, removed. */
import type { Keyring } from '../../../platform/access/keyring.ts'
import { type Context, originOf } from '../../../context.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { requireRevision, Failure, found, invalid } from '../../../platform/errors/errors.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { record } from '../../../platform/record/record.ts'
import {
  type CheckedCertificate,
  CertificateRefused,
  checkCertificate,
} from '../../../adapters/tls/certificate.ts'
import { timestamp } from '../../common/shapes.ts'
import { CertificateView, type UploadCertificate } from './schema.ts'
import * as store from './store.ts'
import { readerOf } from '../../common/resource.ts'
import { type Revised, revisedBy } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'

/** Associated data that binds a private key to its row. */
export const encryptedFor = (certificateId: string): string =>
  `domain_certificates:${certificateId}`

const viewOf = rowView<store.CertificateRow>()(CertificateView, {
  fingerprint_sha256: (row) => row.fingerprint,
})
const revisedOf = revisedBy(viewOf)

/** The payload of events and audit entries about a certificate. */
export const factsOf = (
  domain: { id: string; name: string },
  row: Pick<store.CertificateRow, 'source' | 'serial_number' | 'fingerprint' | 'not_after'>,
) => ({
  domain_id: formatId('dom', domain.id),
  domain: domain.name,
  source: row.source,
  serial_number: row.serial_number,
  fingerprint_sha256: row.fingerprint,
  not_after: timestamp(row.not_after),
})

const briefOf = (row: store.CertificateRow | undefined) => ({
  source: row?.source ?? null,
  fingerprint_sha256: row?.fingerprint ?? null,
})

export const resourceOf = (domainId: string) => ({ kind: 'domain', id: formatId('dom', domainId) })

export const readDomain = readerOf(store.findDomain, 'domain_not_found')
/** Locks it until the end of the transaction. */
export const lockDomain = readerOf(store.lockDomainRow, 'domain_not_found')

/**
 * The domain, locked until the end of the transaction.
 * @throws Failure domain_not_found, invalid_transition
 */
export async function lockVerified(
  trx: Db,
  workspaceId: string,
  domainId: string,
): Promise<store.DomainRow> {
  const domain = await lockDomain(trx, { workspaceId }, domainId)
  if (domain.status !== 'verified') {
    throw new Failure('invalid_transition', {
      detail: `The domain is ${domain.status}; only one that is verified can have a certificate.`,
    })
  }
  return domain
}

/** Replaces the domain's certificate and announces it to every process. */
export async function install(
  { keyring, feed }: { keyring: Keyring; feed: ChangeFeed },
  trx: Db,
  place: { workspaceId: string; domainId: string },
  checked: CheckedCertificate,
  kind: Pick<store.NewCertificate, 'source' | 'challenge' | 'renewAt'>,
): Promise<store.CertificateRow> {
  const id = newUuid()
  const row = await store.putCertificate.one(trx, {
    ...place,
    ...kind,
    ...checked.facts,
    id,
    chain: checked.chainPem,
    encryptedKey: keyring.encrypt(Buffer.from(checked.keyPem), encryptedFor(id)),
  })
  await feed.announce(trx, 'certificate', place.workspaceId)
  return row
}

const pointers = { chain: '/certificate_pem', key: '/private_key_pem' } as const

function check(body: UploadCertificate, host: string, now: number): CheckedCertificate {
  const given = { chainPem: body.certificate_pem, keyPem: body.private_key_pem }
  try {
    return checkCertificate(given, { host, now, complete: true })
  } catch (error) {
    if (error instanceof CertificateRefused) throw invalid(pointers[error.part], error.message)
    throw error
  }
}

/**
 * Replaces the domain's certificate and cancels an order in progress.
 * @throws Failure domain_not_found, invalid_transition, invalid_request, precondition_failed
 */
export async function uploadCertificate(
  context: Context,
  domainId: string,
  body: UploadCertificate,
): Promise<Revised<CertificateView>> {
  const { db, clock, workspaceId, request } = context
  return db.transaction(async (trx) => {
    const domain = await lockVerified(trx, workspaceId, domainId)
    const before = await store.findCertificate.first(trx, { workspaceId, domainId })
    requireRevision(before?.revision ?? 0, request.ifMatch)
    const checked = check(body, domain.name, clock.now())
    const place = { workspaceId, domainId }
    await store.cancelOrders.run(trx, { workspaceId, domainId })
    const upload = { source: 'upload', challenge: null, renewAt: null } as const
    const row = await install(context, trx, place, checked, upload)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'certificate.uploaded',
      resource: resourceOf(domainId),
      data: factsOf(domain, row),
      detail: { before: briefOf(before), after: briefOf(row) },
    })
    return revisedOf(row)
  })
}

/** @throws Failure domain_not_found, certificate_not_found */
export async function getCertificate(
  { db, workspaceId }: Context,
  domainId: string,
): Promise<Revised<CertificateView>> {
  await readDomain(db, { workspaceId }, domainId)
  const row = await store.findCertificate.first(db, { workspaceId, domainId })
  return revisedOf(found(row, 'certificate_not_found'))
}

/**
 * Removes the certificate and cancels an ACME order. Succeeds also without one.
 * @throws Failure domain_not_found, precondition_failed
 */
export async function removeCertificate(context: Context, domainId: string): Promise<void> {
  const { db, feed, workspaceId, request } = context
  await db.transaction(async (trx) => {
    const domain = await lockDomain(trx, context, domainId)
    const row = await store.findCertificate.first(trx, { workspaceId, domainId })
    requireRevision(row?.revision ?? 0, request.ifMatch)
    await store.cancelOrders.run(trx, { workspaceId, domainId })
    if (row === undefined) return
    await store.deleteCertificate.run(trx, { workspaceId, domainId })
    await feed.announce(trx, 'certificate', workspaceId)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'certificate.removed',
      resource: resourceOf(domainId),
      data: factsOf(domain, row),
    })
  })
}
