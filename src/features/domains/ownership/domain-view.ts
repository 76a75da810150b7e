/** The public view of a domain. */
import { proofNameOf } from '../../../adapters/dns/domain-name.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { rowView } from '../../common/row-view.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import { DomainView } from './schema.ts'
import type { DomainRow } from './store.ts'
import { revisedBy } from '../../common/results.ts'

/** How long a verified domain's record may be missing. */
export const GRACE_MS = 7 * DAY_MS

const failingSince = ({ status, failing_since }: DomainRow): number | null =>
  status === 'verified' ? failing_since : null

export const viewOf = rowView<DomainRow>()(DomainView, {
  verification: (row) => ({ record: 'TXT', name: proofNameOf(row.name), value: row.value }),
  failing_since: (row) => timestampOrNull(failingSince(row)),
  lapses_at(row) {
    const since = failingSince(row)
    return since === null ? null : timestamp(since + GRACE_MS)
  },
  certificate: ({ certificate }) =>
    certificate && {
      source: certificate.source,
      fingerprint_sha256: certificate.fingerprint,
      not_after: timestamp(certificate.not_after),
    },
})

export const revisedOf = revisedBy(viewOf)
