/** Queries on subscriptions and the plans in effect. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { Plan } from '../../common/plan-shapes.ts'
import { BillingDetails } from './schema.ts'

export type SubscriptionRow = RowOf<typeof lock>

/** A plan, and the hour from which it applies. */
export type TermRow = RowOf<typeof findLatestTerm>

const columns = `workspace_id, currency, ${stored('billing_details', BillingDetails)}, tax_rate_bp,
  revision, clock_timestamp() AS now`

const ensure = sql('subscriptions.ensure')`
  INSERT INTO subscriptions (workspace_id, drafted_until)
  VALUES ($workspaceId, date_trunc('month', now(), 'UTC')) ON CONFLICT (workspace_id) DO NOTHING`
const lock = sql('subscriptions.lock')`
  SELECT ${columns} FROM subscriptions WHERE workspace_id = $workspaceId FOR UPDATE`
export const findSubscription = sql('subscriptions.find')`
  SELECT ${columns} FROM subscriptions WHERE workspace_id = $workspaceId`
/** Locks the subscription, if any, of a deleted workspace. */
export const lockDeleted = sql('subscriptions.lock_deleted')`
  SELECT s.workspace_id FROM subscriptions s JOIN workspaces w ON w.id = s.workspace_id
  WHERE w.slug = $slug AND w.status = 'deleting' FOR UPDATE OF s`
/** The last invoice is issued: nothing more is charged, unless the workspace is restored. */
export const endBilling = sql('subscriptions.end')`
  UPDATE subscriptions SET billed_from = 'infinity' WHERE workspace_id = $workspaceId`
// If there is a draft, the issued invoice is not the last one, which an older build may have
// assumed.
export const resumeBilling = sql('subscriptions.resume')`
  UPDATE subscriptions
  SET billed_from = date_trunc('hour', now(), 'UTC'),
      drafted_until = date_trunc('hour', now(), 'UTC')
  WHERE workspace_id = $workspaceId AND billed_from = 'infinity' AND NOT EXISTS (
    SELECT FROM invoices i WHERE i.workspace_id = $workspaceId AND i.status = 'draft')`
const update = sql('subscriptions.update')`
  UPDATE subscriptions
  SET currency = $currency?, billing_details = $details, tax_rate_bp = $taxRateBp?, revision =
    revision + 1,
      updated_at = now(),
      drafted_until = CASE WHEN $hasPrice THEN least(drafted_until, date_trunc('month', now(),
      'UTC'))
                           ELSE drafted_until END
  WHERE workspace_id = $workspaceId RETURNING ${columns}`
const insertTerm = `
  INSERT INTO subscription_terms (workspace_id, starts_at, plan_id, plan, created_by)
  VALUES ($workspaceId, to_timestamp($startsAt::float8 / 1000), $planId, $plan, $createdBy)
  ON CONFLICT (workspace_id, starts_at)`
/** Without a result if the hour has a term. */
export const addTerm = sql('subscriptions.add_term')`${insertTerm} DO NOTHING RETURNING starts_at`
export const replaceTerm = sql('subscriptions.replace_term')`
  ${insertTerm} DO UPDATE
  SET plan_id = excluded.plan_id, plan = excluded.plan, created_by = excluded.created_by
  RETURNING starts_at`
const term = `starts_at, ${stored('plan', Plan)}`
export const findLatestTerm = sql('subscriptions.latest_term')`
  SELECT ${term} FROM subscription_terms
  WHERE workspace_id = $workspaceId ORDER BY starts_at DESC LIMIT 1`
/** Plans in effect at any time in between, in order; milliseconds since the epoch. */
export const findTermsBetween = sql('subscriptions.terms_between')`
  SELECT ${term} FROM subscription_terms
  WHERE workspace_id = $workspaceId AND starts_at < to_timestamp($to::float8 / 1000)
    AND starts_at >= coalesce((
      SELECT max(starts_at) FROM subscription_terms
      WHERE workspace_id = $workspaceId AND starts_at <= to_timestamp($from::float8 / 1000)),
      '-infinity')
  ORDER BY starts_at`

/**
 * Locks a workspace's subscription, creating it if needed. Spending from the balance and issuing
 * invoices are serialized by this lock.
 */
export async function lockSubscription(trx: Db, workspaceId: string): Promise<SubscriptionRow> {
  await ensure.run(trx, { workspaceId })
  return lock.one(trx, { workspaceId })
}

/** @param hasPrice whether to draft invoices from the current month on */
export async function updateSubscription(
  trx: Db,
  row: Pick<SubscriptionRow, 'workspace_id' | 'currency' | 'billing_details' | 'tax_rate_bp'>,
  hasPrice: boolean,
): Promise<SubscriptionRow> {
  const { workspace_id: workspaceId, currency, billing_details, tax_rate_bp: taxRateBp } = row
  const details = JSON.stringify(billing_details)
  return update.one(trx, { workspaceId, currency, details, taxRateBp, hasPrice })
}
