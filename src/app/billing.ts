/**
 * Builds the billing services: plans, the configuration of invoices, the payment provider and the
 * route of its events.
 */
import type { FastifyInstance } from 'fastify'
import type { PaymentProvider } from '../adapters/payment-provider/port.ts'
import { createStripeProvider } from '../adapters/payment-provider/stripe.ts'
import type { Services } from '../context.ts'
import { takeEvent } from '../features/billing/payments/provider-event.ts'
import { faultOfPlans } from '../features/metering/plans/plan.ts'
import { PlansFile } from '../features/metering/plans/schema.ts'
import { bodyCheck } from '../platform/http/validation.ts'
import { type Config, ConfigError, readPem } from '../platform/config/config.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Db } from '../platform/database/connect.ts'
import { invalid } from '../platform/errors/errors.ts'
import {
  createPlanDirectory,
  type PlanServices,
} from '../features/metering/plans/plan-directory.ts'
import type { BillingServices } from '../features/metering/subscriptions/subscription-lock.ts'
import type { LimitsOf } from '../features/metering/usage/limits.ts'
import { readJsonFile, refusalOf } from './json-file.ts'

const refusePlans = refusalOf('MOORING_PLANS_FILE')

const checkPlans = bodyCheck(PlansFile, 'refuse')

/**
 * Reads the plans file at startup; an invalid one stops the start.
 * @throws ConfigError naming the place and the problem
 */
export function readPlans(file: string | undefined): PlansFile | undefined {
  if (file === undefined) return undefined
  const use = (value: unknown): PlansFile => {
    checkPlans(value)
    const plans = value as PlansFile
    const fault = faultOfPlans(plans)
    return fault === undefined ? plans : refusePlans(`is invalid: ${fault}.`)
  }
  return readJsonFile(file, refusePlans, use)
}

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

/** A name may have a comma: commas end lines only where nothing else does. */
export const sellerLines = (text: string): string[] =>
  text
    .split(/[|\r\n]/.test(text) ? /[|\r\n]+/ : ',')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/**
 * @param services a `db` that sees all workspaces
 * @throws ConfigError for an invalid plans file
 */
export const billingOf = (
  config: Config,
  services: { db: Db; feed: ChangeFeed },
): PlanServices & BillingServices => ({
  plans: createPlanDirectory(services, readPlans(config.plansFile)),
  billing: {
    tax: { name: config.taxName, rate_bp: config.taxRateBp },
    seller: sellerLines(config.invoiceSeller),
    dueDays: config.invoiceDueDays,
    font: readFont(config),
  },
})

const HOW_TO_PAY = 'No cards are charged here. Ask the operator of this service how to pay.'

/** Selects the configured payment provider; without one, the operator confirms payments. */
export function paymentsOf(config: Config): PaymentProvider {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret } = config
  if (secretKey === undefined || webhookSecret === undefined) {
    return { kind: 'manual', instructions: config.paymentInstructions ?? HOW_TO_PAY }
  }
  const { stripePublishableKey: publishableKey, stripeApiBase: apiBase } = config
  return createStripeProvider({ secretKey, webhookSecret, publishableKey, apiBase })
}

const PAYMENT_EVENTS_PATH = '/billing/stripe/events'

/** Stripe's events have some kilobytes. */
const PAYMENT_EVENT_LIMIT = 262_144

/**
 * Receives Stripe's events: outside the API and its credentials, as each event is signed, but on
 * the API's listener, which is publicly reachable. Without a provider there is no such route.
 */
export function paymentRoutes(
  services: Pick<Services, 'db' | 'payments'>,
): ((listener: FastifyInstance) => void)[] {
  if (services.payments.kind !== 'charging') return []
  const receive = (listener: FastifyInstance): void =>
    void listener.register(async (app) => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
        done(null, body)
      })
      app.post(PAYMENT_EVENTS_PATH, { bodyLimit: PAYMENT_EVENT_LIMIT }, async (request, reply) => {
        const { body, headers } = request
        const signature = headers['stripe-signature']
        const isValid =
          Buffer.isBuffer(body) &&
          typeof signature === 'string' &&
          (await takeEvent(services, body, signature))
        if (!isValid) {
          throw invalid('/header/stripe-signature', 'is not a present signature of the body')
        }
        return reply.code(200).send()
      })
    })
  return [receive]
}
