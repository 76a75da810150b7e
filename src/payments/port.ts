/**
 * What is asked of whoever moves money. Amounts are integers in minor units of the currency,
 * currencies are ISO 4217 in capitals. Payments happen in two steps: one is opened, which moves
 * nothing, and then confirmed by the id that the provider has given it. So whoever keeps that id
 * before the second step can never move the money twice.
 */

/** The provider can't be reached, or can't say now; what was asked may have been done or not. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** The provider has refused what was asked, and has done nothing. */
export class ProviderRefusal extends Error {
  override name = 'ProviderRefusal'
  /** In the provider's words. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export type ProviderPaymentState =
  /** Opened; nothing moves before it is confirmed. */
  | 'unconfirmed'
  | 'processing'
  /** The payer has to do something, with the client's secret. */
  | 'requires_action'
  | 'succeeded'
  /** The method was refused. It is not over: the payer could still try another one. */
  | 'declined'
  /** It is over, and nothing has moved. */
  | 'cancelled'

export interface ProviderFailure {
  code: string
  message: string
}

export interface ProviderPayment {
  /** The provider's id. */
  id: string
  /** Ours, as it was given when it was opened; undefined for one that isn't ours. */
  paymentId: string | undefined
  state: ProviderPaymentState
  amount: number
  currency: string
  /** For the payer's browser; never stored. */
  clientSecret: string | undefined
  /** Why the last try failed. */
  failure: ProviderFailure | undefined
}

export interface NewProviderPayment {
  /** Ours. It makes the opening idempotent: the same id opens the same payment. */
  paymentId: string
  /** From 1. A provider that answers the same failure again and again is asked afresh in time. */
  attempt: number
  amount: number
  currency: string
  customerId: string
  /** The provider's id. */
  methodId: string
  /** What payers read. */
  description: string
}

/** Money that went back, or was taken back. */
export interface Reversal {
  /** The provider's id. */
  id: string
  kind: 'refund' | 'dispute'
  amount: number
  currency: string
  /** `undone`: the money is ours again. `pending`: nothing has moved yet. */
  state: 'pending' | 'done' | 'undone'
}

export interface Card {
  brand: string
  last4: string
  expMonth: number
  expYear: number
}

export interface ProviderMethod {
  /** The provider's id. */
  id: string
  card: Card
}

export interface ProviderSetup {
  /** The provider's id. */
  id: string
  state: 'waiting' | 'succeeded' | 'cancelled'
  clientSecret: string | undefined
  /** Once it has succeeded. */
  method: ProviderMethod | undefined
}

/** What the provider tells us; never more than a reason to look. */
export interface ProviderEvent {
  id: string
  /** The provider's id of what to look at; undefined for what doesn't concern us. */
  subject: { kind: 'payment' | 'reversal' | 'setup' | 'customer'; id: string } | undefined
}

/** A provider that can charge. All of it throws ProviderUnavailable and ProviderRefusal. */
export interface ChargingProvider {
  kind: 'charging'
  name: string
  /** For browsers that show the provider's form; undefined when it wasn't configured. */
  publishableKey: string | undefined
  /** @returns the id; a second one for the same workspace does no harm. */
  createCustomer(workspaceId: string): Promise<string>
  /** Begins the set-up of a method: the payer's browser goes on with the client's secret. */
  openSetup(setup: { methodId: string; customerId: string }): Promise<ProviderSetup>
  readSetup(id: string): Promise<ProviderSetup>
  cancelSetup(id: string): Promise<void>
  listMethods(customerId: string): Promise<ProviderMethod[]>
  /** Detaching what is detached already is the same success. */
  detachMethod(id: string): Promise<void>
  openPayment(payment: NewProviderPayment): Promise<ProviderPayment>
  /**
   * Charges. One that was charged, cancelled or declined already is answered as it is.
   * @param attempt of the same payment, from 1: a number is good for one try.
   */
  confirmPayment(id: string, attempt: number): Promise<ProviderPayment>
  /** Makes sure that it never charges; answers as it is then, which may be `succeeded`. */
  cancelPayment(id: string): Promise<ProviderPayment>
  readPayment(id: string): Promise<ProviderPayment>
  readReversals(paymentId: string): Promise<Reversal[]>
  /**
   * @param body as it came, byte for byte.
   * @returns undefined when the signature isn't good, or too old.
   */
  readEvent(body: Buffer, signature: string): Promise<ProviderEvent | undefined>
}

/** Nobody is charged: invoices are paid from the balance, or as the operator says. */
export interface ManualProvider {
  kind: 'manual'
  /** How to pay, in words for whoever has to. */
  instructions: string
}

export type PaymentProvider = ManualProvider | ChargingProvider
