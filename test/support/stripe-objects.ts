/** The objects of the stand-in for Stripe, and what each request does to them. */
import { randomBytes } from 'node:crypto'

export type Form = Record<string, unknown>

export interface StripeResponse {
  status: number
  body: unknown
}

/** How a card behaves, by its last four digits. */
const cards = {
  good: '4242',
  declined: '0002',
  wantsAction: '3220',
  slow: '0077',
} as const
export type CardName = keyof typeof cards

interface Method {
  id: string
  object: 'payment_method'
  type: 'card'
  customer: string | null
  card: { brand: string; last4: string; exp_month: number; exp_year: number }
}

export interface Intent {
  id: string
  object: 'payment_intent' | 'setup_intent'
  status: string
  client_secret: string
  customer: string
  payment_method: string | null
  metadata: Record<string, string>
  amount: number
  amount_received: number
  currency: string
  last_payment_error: { code: string; decline_code: string; message: string } | null
}

export interface Reversal {
  id: string
  object: 'refund' | 'dispute'
  payment_intent: string
  amount: number
  currency: string
  status: string
}

export interface StripeEvent {
  id: string
  object: 'event'
  type: string
  created: number
  data: { object: object; previous_attributes?: object }
}

export const refuse = (
  status: number,
  type: string,
  message: string,
  more: object = {},
): StripeResponse => ({ status, body: { error: { type, message, ...more } } })

const newId = (prefix: string): string => `${prefix}_${randomBytes(9).toString('hex')}`
const missing = (what: string): StripeResponse =>
  refuse(404, 'invalid_request_error', `No such ${what}`, { code: 'resource_missing' })
const ok = (body: unknown): StripeResponse => ({ status: 200, body: structuredClone(body) })
const list = (data: readonly unknown[]): StripeResponse =>
  ok({ object: 'list', data, has_more: false, url: '/v1/things' })

const refusalOf = (intent: Intent): StripeResponse =>
  refuse(402, 'card_error', 'Your card was declined.', {
    ...intent.last_payment_error,
    payment_intent: intent,
  })

export class StripeObjects {
  readonly intents = new Map<string, Intent>()
  readonly methods = new Map<string, Method>()
  readonly customers = new Set<string>()
  readonly reversals: Reversal[] = []
  /** Each time that money has moved. */
  readonly charges: { intent: string; paymentId: string | undefined; amount: number }[] = []
  /** All that would have been sent, in order. */
  readonly events: StripeEvent[] = []

  run(what: string, form: Form): StripeResponse {
    const [method, path = ''] = what.split(' ')
    const [, , kind, id = '', act] = path.split('/')
    if (kind === 'customers') return method === 'POST' ? this.#customer() : this.#methodsOf(id)
    if (kind === 'payment_methods' && act === 'detach') return this.#detach(id)
    if (kind === 'refunds' || kind === 'disputes') {
      const object = kind.slice(0, -1)
      const of = this.reversals.filter((each) => each.object === object)
      return list(of.filter(({ payment_intent }) => payment_intent === form.payment_intent))
    }
    if (kind !== 'setup_intents' && kind !== 'payment_intents') return missing('route')
    if (id === '') return this.#create(kind, form)
    const intent = this.intents.get(id)
    if (intent === undefined) return missing('intent')
    if (method === 'GET') return ok(this.#expanded(intent, form))
    if (act === 'confirm') return this.#confirm(intent)
    return act === 'cancel' ? this.#cancel(intent) : missing('route')
  }

  #customer(): StripeResponse {
    const id = newId('cus')
    this.customers.add(id)
    return ok({ id, object: 'customer' })
  }

  #methodsOf(customer: string): StripeResponse {
    return list([...this.methods.values()].filter((method) => method.customer === customer))
  }

  /** A bank has renewed a card, or somebody has removed it in Stripe. */
  change(customer: string, last4: string, year: number | undefined): void {
    for (const method of this.methods.values()) {
      if (method.customer !== customer || method.card.last4 !== last4) continue
      if (year === undefined) method.customer = null
      else method.card.exp_year = year
      const type = year === undefined ? 'detached' : 'automatically_updated'
      const event = this.emit(`payment_method.${type}`, method)
      if (year === undefined) event.data.previous_attributes = { customer }
    }
  }

  #detach(id: string): StripeResponse {
    const method = this.methods.get(id)
    if (method === undefined) return missing('payment_method')
    if (method.customer === null) {
      return refuse(400, 'invalid_request_error', 'The payment method is not attached')
    }
    method.customer = null
    return ok(method)
  }

  #expanded(intent: Intent, { expand }: Form): object {
    if (expand === undefined || intent.payment_method === null) return intent
    return { ...intent, payment_method: this.methods.get(intent.payment_method) }
  }

  #create(kind: string, form: Form): StripeResponse {
    const object = kind === 'setup_intents' ? 'setup_intent' : 'payment_intent'
    const amount = Number(form.amount ?? 0)
    if (!this.customers.has(String(form.customer))) return missing('customer')
    const method = this.methods.get(String(form.payment_method))
    if (object === 'payment_intent') {
      if (method?.customer !== form.customer) return missing('payment_method')
      if (!Number.isInteger(amount) || amount < 50) {
        return refuse(400, 'invalid_request_error', 'Amount must be at least 50', {
          code: 'amount_too_small',
        })
      }
    }
    const id = newId(object === 'setup_intent' ? 'seti' : 'pi')
    const intent: Intent = {
      id,
      object,
      status: object === 'setup_intent' ? 'requires_payment_method' : 'requires_confirmation',
      client_secret: `${id}_secret_${randomBytes(9).toString('hex')}`,
      customer: String(form.customer),
      payment_method: method?.id ?? null,
      metadata: { ...(form.metadata as Record<string, string> | undefined) },
      amount,
      amount_received: 0,
      currency: (form.currency as string | undefined) ?? '',
      last_payment_error: null,
    }
    this.intents.set(id, intent)
    if (object === 'payment_intent') this.emit('payment_intent.created', intent)
    return ok(intent)
  }

  #confirm(intent: Intent): StripeResponse {
    if (intent.status !== 'requires_confirmation') {
      return refuse(400, 'invalid_request_error', `This intent is ${intent.status}`, {
        code: 'payment_intent_unexpected_state',
        payment_intent: intent,
      })
    }
    const method = this.methods.get(intent.payment_method ?? '')
    if (!method?.customer) return missing('payment_method')
    const { last4 } = method.card
    if (last4 === cards.declined) {
      this.#decline(intent)
      return refusalOf(intent)
    }
    if (last4 === cards.wantsAction) {
      intent.status = 'requires_action'
      this.emit('payment_intent.requires_action', intent)
    } else if (last4 === cards.slow) {
      intent.status = 'processing'
      this.emit('payment_intent.processing', intent)
    } else this.succeed(intent.id)
    return ok(intent)
  }

  #cancel(intent: Intent): StripeResponse {
    if (intent.status === 'succeeded' || intent.status === 'canceled') {
      return refuse(400, 'invalid_request_error', `This intent is ${intent.status}`, {
        code: `${intent.object}_unexpected_state`,
      })
    }
    intent.status = 'canceled'
    this.emit(`${intent.object}.canceled`, intent)
    return ok(intent)
  }

  #decline(intent: Intent): void {
    intent.status = 'requires_payment_method'
    intent.last_payment_error = {
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    }
    this.emit('payment_intent.payment_failed', intent)
  }

  emit(type: string, object: object): StripeEvent {
    const event: StripeEvent = {
      id: newId('evt'),
      object: 'event',
      type,
      created: Math.floor(Date.now() / 1000),
      data: { object: structuredClone(object) },
    }
    this.events.push(event)
    return event
  }

  #intent(id: string): Intent {
    const intent = this.intents.get(id)
    if (intent === undefined) throw new Error(`there is no ${id}`)
    return intent
  }

  /** The payer has acted, or the bank has answered. */
  succeed(id: string): void {
    const intent = this.#intent(id)
    if (intent.status === 'succeeded') throw new Error(`${id} has been charged`)
    intent.status = 'succeeded'
    intent.amount_received = intent.amount
    const { mooring_payment_id: paymentId } = intent.metadata
    this.charges.push({ intent: id, paymentId, amount: intent.amount })
    this.emit('payment_intent.succeeded', intent)
  }

  decline(id: string): void {
    this.#decline(this.#intent(id))
  }

  /** Somebody has entered a card in the form. */
  enterCard(setupId: string, name: CardName): void {
    const intent = this.#intent(setupId)
    const id = newId('pm')
    const card = { brand: 'visa', last4: cards[name], exp_month: 12, exp_year: 2031 }
    const { customer } = intent
    this.methods.set(id, { id, object: 'payment_method', type: 'card', customer, card })
    intent.payment_method = id
    intent.status = 'succeeded'
    this.emit('setup_intent.succeeded', intent)
  }

  /** The actions of the operator, or of a bank, in Stripe. */
  reverse(intentId: string, object: Reversal['object'], amount: number): Reversal {
    const { currency } = this.#intent(intentId)
    const status = object === 'refund' ? 'succeeded' : 'needs_response'
    const id = newId(object === 'refund' ? 're' : 'dp')
    const reversal = { id, object, payment_intent: intentId, amount, currency, status }
    this.reversals.push(reversal)
    this.emit(object === 'refund' ? 'refund.created' : 'charge.dispute.created', reversal)
    return reversal
  }

  /** The money comes back: a refund that failed, a dispute that is won. */
  undo(id: string): void {
    const reversal = this.reversals.find((each) => each.id === id)
    if (reversal === undefined) throw new Error(`there is no ${id}`)
    reversal.status = reversal.object === 'refund' ? 'failed' : 'won'
    const type = reversal.object === 'refund' ? 'refund.failed' : 'charge.dispute.closed'
    this.emit(type, reversal)
  }
}
