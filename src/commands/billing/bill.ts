/** Implements `mooring billing`. */
import { billingOf } from '../../app/billing.ts'
import { readConfig } from '../../platform/config/config.ts'
import { serviceOrigin } from '../../platform/record/event.ts'
import { payByHand, voidInvoice } from '../../features/billing/invoices/invoice-states.ts'
import { verifyInvoice } from '../../features/billing/invoices/invoice-verification.ts'
import { findIssued, issuedAfter } from '../../features/billing/invoices/invoice.ts'
import { creditBalance } from '../../features/billing/ledger/balance.ts'
import { KeyTaken } from '../../features/billing/ledger/ledger.ts'
import type { Plan } from '../../features/common/plan-shapes.ts'
import {
  currencyOf,
  fixCurrency,
  lockSubscription,
} from '../../features/metering/subscriptions/subscription-lock.ts'
import { changeSubscription } from '../../features/metering/subscriptions/subscription.ts'
import { formatMoney, isCurrency, parseMoney } from '../../platform/lib/currency.ts'
import { CommandFailure } from '../command.ts'
import { requireWorkspace, type Session, withInstallation } from '../installation/session.ts'

const withBilling = <T>(
  work: (session: Session, billing: ReturnType<typeof billingOf>) => Promise<T>,
): Promise<T> => withInstallation({}, (session) => work(session, billingOf(readConfig(), session)))

/** @param taxRateBp basis points; null: the installation's rate; undefined: unchanged */
export const subscribeBySlug = (
  slug: string,
  planId: string,
  taxRateBp: number | null | undefined,
): Promise<Plan> =>
  withBilling(async ({ db, feed }, { plans }) => {
    const plan = plans.find(planId)
    if (plan === undefined) {
      const message = `The plans file has no plan ${planId}.`
      throw new CommandFailure(plans.isOn ? message : 'There are no plans: set MOORING_PLANS_FILE.')
    }
    const workspaceId = await requireWorkspace(db, slug)
    await db.transaction(async (trx) => {
      const before = await lockSubscription(trx, workspaceId)
      const wanted = { plan, taxRateBp, isReplacing: true }
      await changeSubscription(trx, { feed, origin: serviceOrigin }, before, wanted)
    })
    return plan
  })

function amountOf(text: string, currency: string): number {
  const amount = parseMoney(text, currency)
  if (amount !== undefined && amount > 0) return amount
  throw new CommandFailure(`${text} is not an amount of ${currency}; write it like 12.50.`)
}

/** The ledger refuses a reference that was used for another amount. */
const otherwise = (reference: string) => (error: unknown) => {
  if (!(error instanceof KeyTaken)) throw error
  throw new CommandFailure(`${reference} was used for another payment; use another --reference.`)
}

interface Credit {
  reference: string
  currency?: string | undefined
  isGift: boolean
}

/** @returns the formatted amount; undefined if it had already been credited */
export const creditBySlug = (
  slug: string,
  text: string,
  { reference, currency: named, isGift }: Credit,
): Promise<string | undefined> =>
  withBilling(async ({ db }, side) => {
    const workspaceId = await requireWorkspace(db, slug)
    const currency = (await currencyOf(db, side, workspaceId)) ?? named
    if (currency === undefined || !isCurrency(currency)) {
      throw new CommandFailure(`${slug} has no currency yet; set one with --currency EUR.`)
    }
    if (named !== undefined && named !== currency) {
      throw new CommandFailure(`${slug} pays in ${currency}.`)
    }
    const amount = amountOf(text, currency)
    const from = isGift ? 'adjustments' : 'payments'
    const credit = { workspaceId, key: `credit:${reference}`, currency, amount, from } as const
    const isNew = await db
      .transaction(async (trx) => {
        await fixCurrency(trx, await lockSubscription(trx, workspaceId), currency)
        return creditBalance(trx, serviceOrigin, credit)
      })
      .catch(otherwise(reference))
    return isNew ? formatMoney(amount, currency) : undefined
  })

/** An invoice number, as `INV-000042` or 42. */
function numberOf(text: string): number {
  const [, digits] = /^(?:INV-)?(\d{1,12})$/i.exec(text) ?? []
  if (digits !== undefined) return Number(digits)
  throw new CommandFailure(`${text} is not an invoice number such as INV-000042.`)
}

/** @throws CommandFailure */
export async function requireIssued(db: Session['db'], text: string) {
  const found = await findIssued(db, numberOf(text))
  if (found === undefined) throw new CommandFailure(`There is no invoice ${text}.`)
  return found
}

export const payByNumber = (text: string, reference: string): Promise<void> =>
  withInstallation({}, async ({ db }) => {
    const ids = await requireIssued(db, text)
    await db
      .transaction((trx) => payByHand(trx, serviceOrigin, { ...ids, reference }))
      .catch(otherwise(reference))
  })

export const voidByNumber = (text: string): Promise<void> =>
  withInstallation({}, async ({ db }) => {
    const ids = await requireIssued(db, text)
    await db.transaction((trx) => voidInvoice(trx, serviceOrigin, ids))
  })

/**
 * Recomputes one invoice, or all.
 * @returns the number checked, and those that differ
 */
export const verifyInvoices = (text?: string): Promise<{ all: number; wrong: string[] }> =>
  withInstallation({}, async ({ db }) => {
    const one = text === undefined ? undefined : await requireIssued(db, text)
    const wrong: string[] = []
    let all = 0
    let next = one ?? (await issuedAfter(db, 0))
    while (next !== undefined) {
      const { workspaceId, invoiceId, number, name } = next
      const { matches, ledger_matches } = await verifyInvoice({ db, workspaceId }, invoiceId)
      if (!matches || !ledger_matches) wrong.push(name)
      all += 1
      next = one === undefined ? await issuedAfter(db, number) : undefined
    }
    return { all, wrong }
  })
