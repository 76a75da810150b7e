/** What other slices ask of a subscription: its lock, its currency, its tax, and what held when. */
import type { Db } from '../../database/connect.ts'
import type { Plan } from '../plan-shapes.ts'
import * as store from './store.ts'

export type { SubscriptionRow } from './store.ts'

export interface Tax {
  name: string
  /** Basis points. */
  rate_bp: number
}

/** What invoices say by the configuration. */
export interface BillingSettings {
  /** The tax of whoever has no rate of their own; its rate may be 0. */
  tax: Tax
  /** Lines of name, address and tax id. */
  seller: readonly string[]
  dueDays: number
  /** For PDFs; undefined: the one that has Latin letters only. */
  font: Uint8Array | undefined
}

export interface BillingServices {
  billing: BillingSettings
}

/** Undefined: none is asked for. */
export function taxOf(
  row: Pick<store.SubscriptionRow, 'tax_rate_bp'> | undefined,
  { tax }: BillingSettings,
): Tax | undefined {
  const rate_bp = row?.tax_rate_bp ?? tax.rate_bp
  return rate_bp === 0 ? undefined : { name: tax.name, rate_bp }
}

/**
 * Locks the subscription of a workspace, and makes one if there is none. Who spends from the
 * balance or issues an invoice holds this lock, so that they come one after the other.
 */
export const lockSubscription = (trx: Db, workspaceId: string): Promise<store.SubscriptionRow> =>
  store.lockSubscription(trx, workspaceId)

/** Its last invoice is issued: nothing more is charged, unless the workspace is brought back. */
export const endBilling = (trx: Db, workspaceId: string): Promise<void> =>
  store.endBilling(trx, workspaceId)

/**
 * Brings a workspace back, and has it charged again from this hour on if its last invoice is
 * issued; otherwise its month goes on. The subscription is locked before the workspace, as by
 * those who issue invoices.
 * @param restore gives the workspace's UUID, or undefined when there is nothing to bring back.
 */
export async function resumeBilling(
  trx: Db,
  slug: string,
  restore: () => Promise<string | undefined>,
): Promise<string | undefined> {
  await store.lockDeleted(trx, slug)
  const workspaceId = await restore()
  if (workspaceId !== undefined) await store.resumeBilling(trx, workspaceId)
  return workspaceId
}

export const findSubscription = (
  db: Db,
  workspaceId: string,
): Promise<store.SubscriptionRow | undefined> => store.findSubscription(db, workspaceId)

/** Makes a currency the one of the workspace, if it has none. The caller holds the lock. */
export async function fixCurrency(
  trx: Db,
  row: store.SubscriptionRow,
  currency: string,
): Promise<void> {
  if (row.currency === null) await store.updateSubscription(trx, { ...row, currency }, false)
}

/**
 * The one currency in which a workspace pays: the one that is fixed, else that of its plan.
 * Undefined where it has neither.
 */
export async function currencyOf(
  db: Db,
  { plans }: { plans: { of(workspaceId: string): Promise<Plan | undefined> } },
  workspaceId: string,
): Promise<string | undefined> {
  const row = await store.findSubscription(db, workspaceId)
  return row?.currency ?? (await plans.of(workspaceId))?.currency
}

export interface Term {
  /** Milliseconds since the epoch, whole hours. */
  from: number
  to: number
  plan: Plan
}

/** The plans that held between two times, one after the other; hours without one are left out. */
export async function termsBetween(
  db: Db,
  workspaceId: string,
  from: number,
  to: number,
): Promise<Term[]> {
  const rows = await store.findTermsBetween(db, workspaceId, from, to)
  return rows
    .map(({ starts_at, plan }, index) => ({
      from: Math.max(from, starts_at),
      to: Math.min(to, rows[index + 1]?.starts_at ?? to),
      plan,
    }))
    .filter((term) => term.from < term.to)
}
