/** Computes invoices from usage, the plans in effect, and the buyer. */
import type { Db } from '../../../platform/database/connect.ts'
import {
  type BillingSettings,
  type SubscriptionRow,
  taxOf,
  type Term,
  termsBetween,
} from '../../metering/subscriptions/subscription-lock.ts'
import { amountsOf, hasPrice, type Use, type UsedTerm } from './invoice-lines.ts'
import type { Said } from './invoice-view.ts'
import type { InvoiceContent } from './schema.ts'

/** Usage of each meter between two times, in milliseconds since the epoch. */
export type ReadUse = (db: Db, workspaceId: string, from: number, to: number) => Promise<Use>

export interface Month {
  from: number
  to: number
}

/** Whether a month has a price. */
export async function isPriced(db: Db, workspaceId: string, { from, to }: Month): Promise<boolean> {
  const terms = await termsBetween(db, workspaceId, from, to)
  return terms.some(({ plan }) => hasPrice(plan))
}

export async function withUse(
  db: Db,
  workspaceId: string,
  terms: readonly Term[],
  readUse: ReadUse,
): Promise<UsedTerm[]> {
  const used: UsedTerm[] = []
  for (const term of terms) {
    used.push({ ...term, use: await readUse(db, workspaceId, term.from, term.to) })
  }
  return used
}

export interface Buyer {
  name: string
  slug: string
}

/** Without billing details, the buyer is named after the workspace. */
function buyerOf(row: SubscriptionRow | undefined, { name, slug }: Buyer): string[] {
  const { name: payer, address = '', tax_id, email } = row?.billing_details ?? {}
  const lines = [payer ?? name, ...address.split('\n'), tax_id, email, `Workspace ${slug}`]
  return lines.map((line) => line?.trim() ?? '').filter((line) => line !== '')
}

export interface Computed extends Said {
  content: InvoiceContent
}

export interface Computing {
  workspaceId: string
  month: Month
  /** When the workspace was deleted, or until when a draft is computed; milliseconds. */
  until: number
  subscription: SubscriptionRow | undefined
  workspace: Buyer
}

/** Computes an invoice from scratch, without using an earlier one. */
export async function computeInvoice(
  db: Db,
  billing: BillingSettings,
  { workspaceId, month, until, subscription, workspace }: Computing,
  readUse: ReadUse,
): Promise<Computed> {
  const end = Math.min(month.to, until)
  const held = await termsBetween(db, workspaceId, month.from, end)
  const terms = held.filter(({ plan }) => hasPrice(plan))
  const tax = taxOf(subscription, billing)
  const amounts = amountsOf(await withUse(db, workspaceId, terms, readUse), month, tax)
  const content: InvoiceContent = {
    lines: amounts.lines,
    terms,
    tax: tax ?? null,
    seller: [...billing.seller],
    buyer: buyerOf(subscription, workspace),
    carries: true,
  }
  return { content, amounts }
}
