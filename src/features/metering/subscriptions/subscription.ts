/**
 * The rules of subscriptions. A change takes effect on limits immediately and on prices from the
 * start of the current hour, or of the next one where limits get tighter; a second change in the
 * same hour is refused, so that each hour has one price.
 */
import type { UserCaller, KnownCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { requireRevision, Failure, invalid } from '../../../platform/errors/errors.ts'
import { creatorOf, type Origin } from '../../../platform/record/event.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import { hourOf } from '../../../platform/lib/billing-time.ts'
import { HOUR_MS } from '../../../platform/lib/time.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { PlanServices } from '../plans/plan-directory.ts'
import { Plan } from '../../common/plan-shapes.ts'
import { timestamp } from '../../common/shapes.ts'
import type { BillingDetails, PutSubscription, SubscriptionView } from './schema.ts'
import * as store from './store.ts'
import { type BillingServices, taxOf } from './subscription-lock.ts'
import type { Revised } from '../../common/results.ts'

/** The task that drafts invoices of the current month. */
export const DRAFT_INVOICES = taskKind<object>('invoices.draft')

export type SubscriptionServices = PlanServices & BillingServices

type BillingContext<C extends KnownCaller = KnownCaller> = Context<C> & SubscriptionServices

function viewOf(
  { plans, billing }: SubscriptionServices,
  row: store.SubscriptionRow | undefined,
  term: store.TermRow | undefined,
): Revised<SubscriptionView> {
  const plan = plans.isOn ? (term?.plan ?? plans.fallback ?? null) : null
  const offered = plan === null ? undefined : plans.find(plan.id)
  const view: SubscriptionView = {
    plan,
    is_default: term === undefined,
    is_current: plan === null || canonicalJson(offered ?? null) === canonicalJson(plan),
    starts_at: term === undefined ? null : timestamp(term.starts_at),
    currency: row?.currency ?? null,
    tax: taxOf(row, billing) ?? null,
    billing_details: row?.billing_details ?? {},
  }
  // Without a row: the revision of the one that the first change makes and then compares with.
  return { view, revision: row?.revision ?? 1 }
}

export async function getSubscription(context: BillingContext): Promise<Revised<SubscriptionView>> {
  const { db, workspaceId } = context
  const row = await store.findSubscription.first(db, { workspaceId })
  return viewOf(context, row, await store.findLatestTerm.first(db, { workspaceId }))
}

export interface Wanted {
  plan: Plan
  /** Undefined: unchanged. */
  billingDetails?: BillingDetails | undefined
  /** Basis points, or null for the installation's rate. Undefined: unchanged. */
  taxRateBp?: number | null | undefined
  /** Whether it may replace a change in the same hour. */
  isReplacing: boolean
}

function requireCurrency(row: store.SubscriptionRow, plan: Plan): string | null {
  if (plan.kind === 'free') return row.currency
  if (row.currency === null || row.currency === plan.currency) return plan.currency
  throw new Failure('currency_fixed', {
    detail: `This workspace pays in ${row.currency}; the plan has prices in ${plan.currency}.`,
  })
}

const tooSoon = (now: number, { starts_at }: store.TermRow): Failure =>
  new Failure('subscription_just_changed', {
    retryAfterSeconds: Math.ceil((starts_at + HOUR_MS - now) / 1000),
  })

const limitNames = Object.keys(Plan.properties.limits.properties) as (keyof Plan['limits'])[]

const tightens = (before: Plan, after: Plan): boolean =>
  limitNames.some((name) => (after.limits[name] ?? Infinity) < (before.limits[name] ?? Infinity))

/**
 * The present hour, or the next one: the usage of a priced plan in this hour is charged to that
 * plan, and not to one that would not have allowed as much.
 */
function startOf(now: number, present: store.TermRow | undefined, { plan, isReplacing }: Wanted) {
  const hour = hourOf(now)
  if (present === undefined) return hour
  if (isReplacing) return Math.max(hour, present.starts_at)
  const isLater = present.plan.kind !== 'free' && tightens(present.plan, plan)
  return isLater ? hour + HOUR_MS : hour
}

async function changeTerm(
  trx: Db,
  origin: Origin,
  { now, workspace_id: workspaceId }: store.SubscriptionRow,
  present: store.TermRow | undefined,
  wanted: Wanted,
): Promise<store.TermRow> {
  const { plan, isReplacing } = wanted
  const isTaken = present !== undefined && present.starts_at >= hourOf(now)
  if (isTaken && !isReplacing) throw tooSoon(now, present)
  const term = { starts_at: startOf(now, present, wanted), plan }
  const isAdded = await (isReplacing ? store.replaceTerm : store.addTerm).any(trx, {
    workspaceId,
    startsAt: term.starts_at,
    planId: plan.id,
    plan: JSON.stringify(plan),
    createdBy: creatorOf(origin),
  })
  if (!isAdded) throw tooSoon(now, term)
  return term
}

const plainView = (row: store.SubscriptionRow, term: store.TermRow | undefined) => ({
  plan: term?.plan ?? null,
  currency: row.currency,
  tax_rate_bp: row.tax_rate_bp,
  billing_details: row.billing_details,
})

/**
 * Switches a workspace to a plan. The caller holds the lock of its subscription.
 * @throws Failure currency_fixed, subscription_just_changed
 */
export async function changeSubscription(
  trx: Db,
  { feed, origin }: Pick<Services, 'feed'> & { origin: Origin },
  before: store.SubscriptionRow,
  wanted: Wanted,
): Promise<{ row: store.SubscriptionRow; term: store.TermRow }> {
  const { plan, billingDetails, taxRateBp } = wanted
  const { workspace_id: workspaceId } = before
  const present = await store.findLatestTerm.first(trx, { workspaceId })
  const isSame = present !== undefined && canonicalJson(present.plan) === canonicalJson(plan)
  const currency = requireCurrency(before, plan)
  const term = isSame ? present : await changeTerm(trx, origin, before, present, wanted)
  const fields = {
    workspace_id: workspaceId,
    currency,
    billing_details: billingDetails ?? before.billing_details,
    tax_rate_bp: taxRateBp === undefined ? before.tax_rate_bp : taxRateBp,
  }
  const detail = changedFields(
    plainView(before, present),
    plainView({ ...before, ...fields }, term),
  )
  const changed = Object.keys(detail.after)
  if (changed.length === 0) return { row: before, term }
  const row = await store.updateSubscription(trx, fields, plan.kind !== 'free')
  if (!isSame) {
    await feed.announce(trx, 'subscription', workspaceId)
    if (plan.kind !== 'free') await enqueue(trx, DRAFT_INVOICES, {})
  }
  const id = formatId('ws', workspaceId)
  await record(trx, origin, {
    workspaceId,
    action: 'subscription.changed',
    resource: { kind: 'subscription', id },
    data: { workspace_id: id, plan_id: plan.id, changed },
    detail,
  })
  return { row, term }
}

/**
 * A plan that a workspace may choose itself or already has; others are assigned by the operator.
 */
function requirePlan(
  { plans }: PlanServices,
  planId: string,
  present: store.TermRow | undefined,
): Plan {
  if (present?.plan.id === planId && present.plan.kind === 'custom') return present.plan
  const plan = plans.find(planId)
  if (plan !== undefined && plan.kind !== 'custom') return plan
  throw invalid('/plan_id', 'must be the id of a plan that GET /plans lists')
}

/**
 * @throws Failure invalid_request, precondition_failed, currency_fixed,
 * subscription_just_changed
 */
export function putSubscription(
  context: BillingContext<UserCaller>,
  input: PutSubscription,
): Promise<Revised<SubscriptionView>> {
  const { db, feed, workspaceId, request } = context
  return db.transaction(async (trx) => {
    const before = await store.lockSubscription(trx, workspaceId)
    requireRevision(before.revision, request.ifMatch)
    const present = await store.findLatestTerm.first(trx, { workspaceId })
    const wanted = {
      plan: requirePlan(context, input.plan_id, present),
      billingDetails: input.billing_details,
      isReplacing: false,
    }
    const origin = originOf(context)
    const { row, term } = await changeSubscription(trx, { feed, origin }, before, wanted)
    return viewOf(context, row, term)
  })
}
