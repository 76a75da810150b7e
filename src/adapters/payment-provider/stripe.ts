/**
 * Payments through Stripe: customers, SetupIntents for cards, and PaymentIntents that are first
 * created, then confirmed. The library is loaded on first use.
 */
import type Stripe from 'stripe'
import {
  type ChargingProvider,
  type NewProviderPayment,
  type ProviderEvent,
  type ProviderMethod,
  type ProviderPayment,
  ProviderRefusal,
  type ProviderSetup,
  type Reversal,
} from './port.ts'
import {
  eventOf,
  failureOf,
  isDecline,
  isUnexpectedState,
  methodOf,
  PAYMENT_ID,
  paymentOf,
  reversalOfDispute,
  reversalOfRefund,
  setupOf,
} from './stripe-shapes.ts'

/** Pinned; upgrade it together with the library. */
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 15_000
/** Retries of an interrupted call; the library reuses the idempotency key. */
const RETRIES = 1
/** Attempts to open a payment under one key: the request's own, and the first one after it. */
const SAME_KEY = 2
/** Maximum cards of a customer, and reversals of a payment, that are read. */
const MAX_LISTED = 1_000

/** Currencies whose minor unit at Stripe differs from ISO 4217. */
const UNLIKE_ISO: ReadonlySet<string> = new Set(['ISK', 'MGA', 'UGX'])

/**
 * Stripe takes these only with a zero at the end: card networks know two of their three decimals.
 */
const IN_TENS: ReadonlySet<string> = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])

function requireChargeable({ amount, currency }: NewProviderPayment): void {
  if (UNLIKE_ISO.has(currency)) {
    throw new ProviderRefusal('currency_unsupported', `${currency} cannot be charged.`)
  }
  if (IN_TENS.has(currency) && amount % 10 !== 0) {
    throw new ProviderRefusal(
      'amount_unsupported',
      `Cards are charged in ${currency} with two decimals only; prepay enough to pay by the balance.`,
    )
  }
}

export interface StripeOptions {
  secretKey: string
  webhookSecret: string
  publishableKey: string | undefined
  /** Scheme and authority replacing https://api.stripe.com. */
  apiBase: string | undefined
}

function placeOf(apiBase: string): Pick<Stripe.StripeConfig, 'protocol' | 'host' | 'port'> {
  const { protocol, hostname: host, port } = new URL(apiBase)
  const isPlain = protocol === 'http:'
  return { protocol: isPlain ? 'http' : 'https', host, port: port || (isPlain ? 80 : 443) }
}

/**
 * Stripe remembers even a 500 for a key. Opening again under another key charges nothing, as only
 * one of them is confirmed.
 */
const openingKey = ({ paymentId, attempt }: NewProviderPayment): string =>
  attempt <= SAME_KEY ? paymentId : `${paymentId}:${attempt}`

class StripeProvider implements ChargingProvider {
  readonly kind = 'charging'
  readonly name = 'stripe'
  readonly publishableKey: string | undefined
  readonly #options: StripeOptions
  #client: Promise<Stripe> | undefined

  constructor(options: StripeOptions) {
    this.#options = options
    this.publishableKey = options.publishableKey
  }

  createCustomer(workspaceId: string): Promise<string> {
    return this.#ask(async ({ customers }) => {
      const params = { metadata: { mooring_workspace_id: workspaceId } }
      return (await customers.create(params)).id
    })
  }

  openSetup({ methodId, customerId }: { methodId: string; customerId: string }) {
    return this.#ask(async ({ setupIntents }): Promise<ProviderSetup> => {
      const intent = await setupIntents.create(
        {
          customer: customerId,
          usage: 'off_session',
          allowed_payment_method_types: ['card'],
          metadata: { mooring_payment_method_id: methodId },
        },
        { idempotencyKey: `setup:${methodId}` },
      )
      return setupOf(intent)
    })
  }

  readSetup(id: string): Promise<ProviderSetup> {
    return this.#ask(async ({ setupIntents }) =>
      setupOf(await setupIntents.retrieve(id, { expand: ['payment_method'] })),
    )
  }

  async cancelSetup(id: string): Promise<void> {
    await this.#ask(async ({ setupIntents }) => {
      await setupIntents.cancel(id).catch((error: unknown) => {
        if (!isUnexpectedState(error)) throw error
      })
    })
  }

  listMethods(customerId: string): Promise<ProviderMethod[]> {
    return this.#ask(async ({ customers }) => {
      const list = customers.listPaymentMethods(customerId, { type: 'card', limit: 100 })
      const methods = await list.autoPagingToArray({ limit: MAX_LISTED })
      return methods.map(methodOf).filter((method) => method !== undefined)
    })
  }

  async detachMethod(id: string): Promise<void> {
    await this.#ask(async ({ paymentMethods }) => {
      await paymentMethods.detach(id)
    }).catch((error: unknown) => {
      // It is unattached or missing, which is the desired state.
      if (!(error instanceof ProviderRefusal)) throw error
    })
  }

  openPayment(payment: NewProviderPayment): Promise<ProviderPayment> {
    const { paymentId, amount, currency, customerId, methodId, description } = payment
    requireChargeable(payment)
    return this.#ask(async ({ paymentIntents }) =>
      paymentOf(
        await paymentIntents.create(
          {
            amount,
            currency: currency.toLowerCase(),
            customer: customerId,
            payment_method: methodId,
            allowed_payment_method_types: ['card'],
            description,
            metadata: { [PAYMENT_ID]: paymentId },
          },
          { idempotencyKey: openingKey(payment) },
        ),
      ),
    )
  }

  confirmPayment(id: string, attempt: number): Promise<ProviderPayment> {
    return this.#ask(async ({ paymentIntents }) => {
      const idempotencyKey = `${id}:confirm:${attempt}`
      const intent = await paymentIntents
        .confirm(id, {}, { idempotencyKey })
        .catch((error: unknown) => {
          if (isDecline(error) || isUnexpectedState(error)) return paymentIntents.retrieve(id)
          throw error
        })
      return paymentOf(intent)
    })
  }

  cancelPayment(id: string): Promise<ProviderPayment> {
    return this.#ask(async ({ paymentIntents }) => {
      const intent = await paymentIntents.cancel(id).catch((error: unknown) => {
        if (isUnexpectedState(error)) return paymentIntents.retrieve(id)
        throw error
      })
      return paymentOf(intent)
    })
  }

  readPayment(id: string): Promise<ProviderPayment> {
    return this.#ask(async ({ paymentIntents }) => paymentOf(await paymentIntents.retrieve(id)))
  }

  readReversals(paymentId: string): Promise<Reversal[]> {
    return this.#ask(async ({ refunds, disputes }) => {
      const which = { payment_intent: paymentId, limit: 100 }
      const [refunded, disputed] = await Promise.all([
        refunds.list(which).autoPagingToArray({ limit: MAX_LISTED }),
        disputes.list(which).autoPagingToArray({ limit: MAX_LISTED }),
      ])
      return [...refunded.map(reversalOfRefund), ...disputed.map(reversalOfDispute)]
    })
  }

  async readEvent(body: Buffer, signature: string): Promise<ProviderEvent | undefined> {
    const { webhooks } = await this.#load()
    try {
      return eventOf(webhooks.constructEvent(body, signature, this.#options.webhookSecret))
    } catch {
      return undefined
    }
  }

  /** Runs a call and maps its failures to the port. */
  async #ask<T>(call: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await call(await this.#load())
    } catch (error) {
      throw failureOf(error)
    }
  }

  #load(): Promise<Stripe> {
    this.#client ??= this.#open()
    return this.#client
  }

  async #open(): Promise<Stripe> {
    const { default: Client } = await import('stripe')
    const { secretKey, apiBase } = this.#options
    return new Client(secretKey, {
      apiVersion: API_VERSION,
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      ...(apiBase !== undefined && placeOf(apiBase)),
    })
  }
}

export const createStripeProvider = (options: StripeOptions): ChargingProvider =>
  new StripeProvider(options)
