/**
 * The parts of a subscription for other slices: its lock, currency and tax, the plans in effect.
 */
import type { Db } from '../../../platform/database/connect.ts'
import type { Plan } from '../../common/plan-shapes.ts'
import * as store from './store.ts'

export type { SubscriptionRow } from './store.ts'
export { endBilling, findSubscription, lockSubscription } from './store.ts'

export interface Tax {
  name: string
  /** Basis points. */
  rate_bp: number
}

/** The configured contents of invoices. */
export interface BillingSettings {
  /** The default tax; its rate may be 0. */
  tax: Tax
  /** Lines with name, address and tax id. */
  seller: readonly string[]
  dueDays: number
  /** For PDFs; undefined: a font with Latin letters only. */
  font: Uint8Array | undefined
}

export interface BillingServices {
  billing: BillingSettings
}

/** Undefined: no tax. */
export function taxOf(
  row: Pick<store.SubscriptionRow, 'tax_rate_bp'> | undefined,
  { tax }: BillingSettings,
): Tax | undefined {
  const rate_bp = row?.tax_rate_bp ?? tax.rate_bp
  return rate_bp === 0 ? undefined : { name: tax.name, rate_bp }
}

/**
 * Restores a workspace, and resumes charging from this hour if its last invoice was issued;
 * otherwise its month continues. The subscription is locked before the workspace, as when issuing
 * invoices.
 * @param restore returns the workspace's UUID; undefined if there is nothing to restore
 */
export async function resumeBilling(
  trx: Db,
  slug: string,
  restore: () => Promise<string | undefined>,
): Promise<string | undefined> {
  await store.lockDeleted.run(trx, { slug })
  const workspaceId = await restore()
  if (workspaceId !== undefined) await store.resumeBilling.run(trx, { workspaceId })
  return workspaceId
}

/** Fixes the workspace's currency, if it has none. The caller holds the lock. */
export async function fixCurrency(
  trx: Db,
  row: store.SubscriptionRow,
  currency: string,
): Promise<void> {
  if (row.currency === null) await store.updateSubscription(trx, { ...row, currency }, false)
}

/** The workspace's only currency: the fixed one, else its plan's; undefined if it has neither. */
export async function currencyOf(
  db: Db,
  { plans }: { plans: { of(workspaceId: string): Promise<Plan | undefined> } },
  workspaceId: string,
): Promise<string | undefined> {
  const row = await store.findSubscription.first(db, { workspaceId })
  return row?.currency ?? (await plans.of(workspaceId))?.currency
}

export interface Term {
  /** Milliseconds since the epoch, whole hours. */
  from: number
  to: number
  plan: Plan
}

/** Plans in effect between two times, in order; hours without one are omitted. */
export async function termsBetween(
  db: Db,
  workspaceId: string,
  from: number,
  to: number,
): Promise<Term[]> {
  const rows = await store.findTermsBetween.rows(db, { workspaceId, from, to })
  return rows
    .map(({ starts_at, plan }, index) => ({
      from: Math.max(from, starts_at),
      to: Math.min(to, rows[index + 1]?.starts_at ?? to),
      plan,
    }))
    .filter((term) => term.from < term.to)
}
