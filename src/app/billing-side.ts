/** Builds the billing services: plans, and the configuration of invoices. */
import { type Config, ConfigError, readPem } from '../platform/config/config.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Db } from '../platform/database/connect.ts'
import {
  createPlanDirectory,
  type PlanServices,
} from '../features/metering/plans/plan-directory.ts'
import type { BillingServices } from '../features/metering/subscriptions/subscription-lock.ts'
import type { LimitsOf } from '../features/metering/usage/limits.ts'
import { readPlans } from './plans-file.ts'

/** The limits of plans; undefined if there are no plans. */
export const limitsOfPlans = ({ plans }: PlanServices): LimitsOf | undefined =>
  plans.isOn ? async (workspaceId) => (await plans.of(workspaceId))?.limits : undefined

/** @throws ConfigError */
export function readFont({ invoiceFont }: Config): Buffer | undefined {
  if (invoiceFont === undefined) return undefined
  const font = readPem(invoiceFont, 'MOORING_INVOICE_FONT')
  const signature = font.toString('latin1', 0, 4)
  if (['\0\x01\0\0', 'true', 'OTTO'].includes(signature)) return font
  throw new ConfigError('MOORING_INVOICE_FONT must name a TrueType or OpenType font')
}

/**
 * @param services a `db` that sees all workspaces
 * @throws ConfigError for an invalid plans file
 */
export const billingSideOf = (
  config: Config,
  services: { db: Db; feed: ChangeFeed },
): PlanServices & BillingServices => ({
  plans: createPlanDirectory(services, readPlans(config.plansFile)),
  billing: {
    tax: { name: config.taxName, rate_bp: config.taxRateBp },
    seller: config.invoiceSeller.split('|').map((line) => line.trim()),
    dueDays: config.invoiceDueDays,
    font: readFont(config),
  },
})
