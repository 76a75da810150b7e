/** The public view of a domain. */
import { proofNameOf } from '../../../adapters/dns/domain-name.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { DomainView } from './schema.ts'
import type { DomainRow } from './store.ts'
import type { Revised } from '../../common/results.ts'

/** How long a verified domain's record may be missing. */
export const GRACE_MS = 7 * 86_400_000

export function viewOf(row: DomainRow): DomainView {
  const failingSince = row.status === 'verified' ? row.failing_since : null
  return {
    id: formatId('dom', row.id),
    workspace_id: formatId('ws', row.workspace_id),
    name: row.name,
    purpose: row.purpose,
    status: row.status,
    verification: { record: 'TXT', name: proofNameOf(row.name), value: row.value },
    verified_at: timestampOrNull(row.verified_at),
    checked_at: timestampOrNull(row.checked_at),
    failing_since: timestampOrNull(failingSince),
    lapses_at: timestampOrNull(failingSince === null ? null : failingSince + GRACE_MS),
    last_error: row.last_error,
    certificate: row.certificate && {
      source: row.certificate.source,
      fingerprint_sha256: row.certificate.fingerprint,
      not_after: timestamp(row.certificate.not_after),
    },
    created_by: row.created_by,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

export const revisedOf = (row: DomainRow): Revised<DomainView> => ({
  view: viewOf(row),
  revision: row.revision,
})
