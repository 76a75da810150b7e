/** Verifies a domain on request. */
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { isUniqueViolation } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import type { DomainServices } from './directory.ts'
import { findProof } from './domain-proof.ts'
import { settleDomain } from './domain-settlement.ts'
import { revisedOf } from './domain-view.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'
import type { DomainView } from './schema.ts'

/** Whether the error means that another workspace has the domain. */
export const isTaken = (error: unknown): boolean => isUniqueViolation(error, 'domains_owner')

/**
 * Checks DNS now. If several workspaces have proven a name, a constraint lets one own it.
 * @throws Failure domain_not_found, domain_not_verified, domain_taken
 */
export async function verifyDomain(
  context: Context<StaffCaller> & DomainServices,
  id: string,
): Promise<Revised<DomainView>> {
  const { db, dns, domains, workspaceId } = context
  const known = found(await store.findDomain.first(db, { workspaceId, id }), 'domain_not_found')
  // Outside any transaction: name servers may be slow.
  const finding = await findProof(dns, known)
  const parts = { domains, origin: originOf(context) }
  const settled = await db
    .transaction(async (trx) => {
      const row = found(await store.lockDomain.first(trx, { workspaceId, id }), 'domain_not_found')
      return settleDomain(trx, parts, row, finding)
    })
    .catch((error: unknown) => {
      throw isTaken(error) ? new Failure('domain_taken', { cause: error }) : error
    })
  if (finding.kind === 'found') return revisedOf(settled)
  throw new Failure('domain_not_verified', { detail: finding.error.message })
}
