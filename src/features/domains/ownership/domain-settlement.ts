/**
 * Applies the result of a DNS check: pending → verified ⇄ lapsed. A verified domain's record may be
 * missing for a week, with a daily event; an inconclusive check changes nothing.
 */
import type { Db } from '../../../platform/database/connect.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import { DAY_MS, DAY_S, HOUR_S } from '../../../platform/lib/time.ts'
import { record } from '../../../platform/record/record.ts'
import { timestamp } from '../../common/shapes.ts'
import type { Finding } from './domain-proof.ts'
import { GRACE_MS, viewOf } from './domain-view.ts'
import type { DomainDirectory } from './directory.ts'
import * as store from './store.ts'
import { keyOf } from '../../common/row-key.ts'

const RECHECK_S = DAY_S
/** Problems are rechecked more often. */
const RECHECK_PROBLEM_S = HOUR_S

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

/** The new state of the domain, as parameters of `settleDomain`. */
function settlementOf(row: store.LockedDomain, finding: Finding) {
  const { status, failing_since: failingSince, warned_at: warnedAt, now } = row
  if (finding.kind === 'found') {
    const rest = { failingSince: null, warnedAt: null, lastError: null }
    return { status: 'verified', ...rest, seconds: RECHECK_S } as const
  }
  const same = { status, failingSince, warnedAt, lastError: JSON.stringify(finding.error) }
  if (finding.kind === 'unclear') return { ...same, seconds: RECHECK_PROBLEM_S }
  if (status !== 'verified') return { ...same, seconds: RECHECK_S }
  const since = failingSince ?? now
  if (now - since >= GRACE_MS) {
    return { ...same, status: 'lapsed', warnedAt: null, seconds: RECHECK_S } as const
  }
  const isToWarn = warnedAt === null || now - warnedAt >= DAY_MS
  return {
    ...same,
    failingSince: since,
    warnedAt: isToWarn ? now : warnedAt,
    seconds: RECHECK_PROBLEM_S,
  }
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
  const settlement = settlementOf(row, finding)
  const settled = await store.settleDomain.one(trx, { ...keyOf(row), ...settlement })
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
