/**
 * Applies the result of a DNS check: pending → verified ⇄ lapsed. A verified domain's record may be
 * missing for a week, with a daily event; an inconclusive check changes nothing.
 */
import type { Db } from '../../../platform/database/connect.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { timestamp } from '../../common/shapes.ts'
import type { Finding } from './domain-proof.ts'
import { GRACE_MS, viewOf } from './domain-view.ts'
import type { DomainDirectory } from './directory.ts'
import * as store from './store.ts'

const DAY_S = 86_400
const DAY_MS = DAY_S * 1_000
/** Problems are rechecked more often. */
const HOUR_S = 3_600

/** The common payload of domain events. */
const eventDataOf = (row: store.DomainRow): Record<string, unknown> => {
  const { id, name, purpose } = viewOf(row)
  return { domain_id: id, name, purpose }
}

export async function recordDomain(
  trx: Db,
  origin: Origin,
  action: EventType,
  row: store.DomainRow,
  data: Record<string, unknown> = {},
): Promise<void> {
  await record(trx, origin, {
    workspaceId: row.workspace_id,
    action,
    resource: { kind: 'domain', id: viewOf(row).id },
    data: { ...eventDataOf(row), ...data },
  })
}

function settlementOf(row: store.LockedDomain, finding: Finding): store.Settlement {
  const { status, failing_since, warned_at, now } = row
  if (finding.kind === 'found') {
    const rest = { failing_since: null, warned_at: null, last_error: null }
    return { status: 'verified', ...rest, nextInSeconds: DAY_S }
  }
  const same = { status, failing_since, warned_at, last_error: finding.error }
  if (finding.kind === 'unclear') return { ...same, nextInSeconds: HOUR_S }
  if (status !== 'verified') return { ...same, nextInSeconds: DAY_S }
  const since = failing_since ?? now
  if (now - since >= GRACE_MS) {
    return { ...same, status: 'lapsed', warned_at: null, nextInSeconds: DAY_S }
  }
  const isToWarn = warned_at === null || now - warned_at >= DAY_MS
  const warned = isToWarn ? now : warned_at
  return { ...same, failing_since: since, warned_at: warned, nextInSeconds: HOUR_S }
}

/**
 * Stores the result with its event.
 * @param trx the transaction that holds the row's lock
 * @throws a violation of `domains_owner` if another workspace has the domain
 */
export async function settleDomain(
  trx: Db,
  { domains, origin }: { domains: DomainDirectory; origin: Origin },
  row: store.LockedDomain,
  finding: Finding,
): Promise<store.DomainRow> {
  const settled = await store.settleDomain(trx, row, settlementOf(row, finding))
  if (settled.status !== row.status) {
    const { workspace_id: workspaceId, name } = settled
    await domains.announce(trx, { workspaceId, name })
    const isVerified = settled.status === 'verified'
    await recordDomain(trx, origin, isVerified ? 'domain.verified' : 'domain.lapsed', settled)
  } else if (settled.warned_at !== null && settled.warned_at !== row.warned_at) {
    const lapsesAt = timestamp((settled.failing_since ?? row.now) + GRACE_MS)
    await recordDomain(trx, origin, 'domain.verification_failing', settled, { lapses_at: lapsesAt })
  }
  return settled
}
