/** Configuration variables of payments. */
import { optional, refuse, type Variable } from './kinds.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Requests to it carry the secret key, so the connection must be encrypted. */
function readApiBase(name: string, value: string): string {
  const url = URL.parse(value)
  const isBase = url !== null && /^https?:\/\/[^/?#@]+\/?$/.test(value)
  if (isBase && (url.protocol === 'https:' || LOOPBACK.has(url.hostname))) return value
  return refuse(name, 'must be https:// and an authority, or http:// on loopback')
}

const apiBase: Variable<string | undefined> = {
  name: 'MOORING_STRIPE_API_BASE',
  fallback: 'https://api.stripe.com',
  about: 'Scheme and authority of the API of Stripe, for a proxy or for tests.',
  read: (value) => (value === undefined ? undefined : readApiBase(apiBase.name, value)),
}

export const paymentVariables = {
  stripeSecretKey: optional(
    'MOORING_STRIPE_SECRET_KEY',
    'manual payments',
    'Secret or restricted key of a Stripe account; with it, workspaces pay by card.',
    true,
  ),
  stripeWebhookSecret: optional(
    'MOORING_STRIPE_WEBHOOK_SECRET',
    'required with MOORING_STRIPE_SECRET_KEY',
    'Signing secret of the webhook endpoint in Stripe, which leads to /billing/stripe/events.',
    true,
  ),
  stripePublishableKey: optional(
    'MOORING_STRIPE_PUBLISHABLE_KEY',
    'cards cannot be entered in the console',
    'Publishable key of the same account. Consoles receive it to display the form for cards.',
  ),
  stripeApiBase: apiBase,
  paymentInstructions: optional(
    'MOORING_PAYMENT_INSTRUCTIONS',
    'a sentence that names the operator',
    'Payment instructions for manual payments, such as the details of a bank account.',
  ),
} as const
