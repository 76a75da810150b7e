/**
 * The port to a payment provider. Amounts are integers in minor units, currencies are upper-case
 * ISO 4217 codes. A payment has two steps: opening it moves no money; confirming it, by the id that
 * the provider assigned, does. Storing that id before the second step makes it impossible to charge
 * twice.
 */

/** The provider is unreachable or cannot answer; the request may or may not have taken effect. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** The provider refused the request, which had no effect. */
export class ProviderRefusal extends Error {
  override name = 'ProviderRefusal'
  /** The provider's code. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export type ProviderPaymentState =
  /** Opened; no money moves before it is confirmed. */
  | 'unconfirmed'
  | 'processing'
  /** The payer must act, using the client secret. */
  | 'requires_action'
  | 'succeeded'
  /** The method was declined. The payment is still open and could use another one. */
  | 'declined'
  /** Over; no money moved. */
  | 'cancelled'

export interface ProviderFailure {
  code: string
  message: string
}

export interface ProviderPayment {
  /** The provider's id. */
  id: string
  /** Our id, given when it was opened; undefined if the payment is not ours. */
  paymentId: string | undefined
  state: ProviderPaymentState
  amount: number
  currency: string
  /** For the payer's browser; never stored. */
  clientSecret: string | undefined
  /** Why the last attempt failed. */
  failure: ProviderFailure | undefined
}

export interface NewProviderPayment {
  /** Our id. It makes opening idempotent: the same id opens the same payment. */
  paymentId: string
  /**
   * Counts from 1. A provider that keeps repeating a failure is eventually asked under a new key.
   */
  attempt: number
  amount: number
  currency: string
  customerId: string
  /** The provider's id. */
  methodId: string
  /** Shown to the payer. */
  description: string
}

/** Refunded or disputed money. */
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
  /** Set once it has succeeded. */
  method: ProviderMethod | undefined
}

/** A notification by the provider; only ever a reason to query it. */
export interface ProviderEvent {
  id: string
  /** The provider's id of what to query; undefined if it does not concern us. */
  subject: { kind: 'payment' | 'reversal' | 'setup' | 'customer'; id: string } | undefined
}

/** A provider that can charge. All methods throw ProviderUnavailable and ProviderRefusal. */
export interface ChargingProvider {
  kind: 'charging'
  name: string
  /** For browsers that show the provider's form; undefined if not configured. */
  publishableKey: string | undefined
  /** @returns the id; a duplicate for the same workspace is harmless */
  createCustomer(workspaceId: string): Promise<string>
  /** Starts the setup of a method; the payer's browser continues with the client secret. */
  openSetup(setup: { methodId: string; customerId: string }): Promise<ProviderSetup>
  readSetup(id: string): Promise<ProviderSetup>
  cancelSetup(id: string): Promise<void>
  listMethods(customerId: string): Promise<ProviderMethod[]>
  /** Succeeds also if the method is already detached. */
  detachMethod(id: string): Promise<void>
  openPayment(payment: NewProviderPayment): Promise<ProviderPayment>
  /**
   * Charges. A payment that is already charged, cancelled or declined is returned as it is.
   * @param attempt counts attempts of one payment from 1; a number is used once
   */
  confirmPayment(id: string, attempt: number): Promise<ProviderPayment>
  /** Ensures that it never charges; returns the resulting state, which may be `succeeded`. */
  cancelPayment(id: string): Promise<ProviderPayment>
  readPayment(id: string): Promise<ProviderPayment>
  readReversals(paymentId: string): Promise<Reversal[]>
  /**
   * @param body the raw bytes
   * @returns undefined if the signature is invalid or too old
   */
  readEvent(body: Buffer, signature: string): Promise<ProviderEvent | undefined>
}

/** No provider: invoices are paid from the balance, or as the operator records. */
export interface ManualProvider {
  kind: 'manual'
  /** How to pay, as text for the payer. */
  instructions: string
}

export type PaymentProvider = ManualProvider | ChargingProvider
