/**
 * The steps of an ACME order (RFC 8555 section 7.1.6), each a function from the authority's state
 * to what is stored. Repeating a step after a crash is harmless: at worst it leaves an unused order
 * at the authority.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import {
  type AcmeAccount,
  type AcmeAuthority,
  type AcmeOrder,
  AcmeRefused,
} from '../../../adapters/acme/port.ts'
import { newPrivateKey } from './acme-account.ts'
import type { TakenOrder } from './store.ts'

/** The new state of the order, and what to do next. */
export interface Step {
  change: Partial<Pick<TakenOrder, 'status' | 'url' | 'token' | 'proof' | 'sealed_key'>>
  next:
    | 'continue'
    /** The authority is processing it. */
    | 'poll'
    /** Someone must create a DNS record. */
    | 'wait'
    | 'install'
}

export interface OrderContext {
  acme: AcmeAuthority
  account: AcmeAccount
  keyring: Keyring
}

/** Associated data of the order's private key. */
export const encryptedFor = (orderId: string): string => `acme_orders:${orderId}`

/** Announces the proof again, in case the authority missed it. */
const ACCEPT_EVERY = 5

const proceed = (change: Step['change']): Step => ({ change, next: 'continue' })
const CHECK: Step = { change: {}, next: 'poll' }

/** The authority checked the proof and did not find it: the order has failed. */
export const NOT_PROVEN = 'notProven'

function refused({ problem }: AcmeOrder): never {
  throw new AcmeRefused(NOT_PROVEN, problem ?? 'The authority declared the order invalid.')
}

const readOrder = ({ acme, account }: OrderContext, order: TakenOrder): Promise<AcmeOrder> =>
  acme.readOrder(account, order.url ?? '', order.challenge)

async function place(context: OrderContext, order: TakenOrder): Promise<Step> {
  if (order.url === null)
    return proceed({ url: await context.acme.order(context.account, order.name) })
  const seen = await readOrder(context, order)
  if (seen.status === 'invalid') return refused(seen)
  // An earlier authorization may still be valid.
  if (seen.status !== 'pending' || seen.challenge === undefined) {
    return proceed({ status: 'finalizing' })
  }
  const { token, proof } = seen.challenge
  return order.challenge === 'http-01'
    ? proceed({ status: 'validating', token, proof })
    : { change: { status: 'waiting', proof }, next: 'wait' }
}

async function validate(context: OrderContext, order: TakenOrder): Promise<Step> {
  const seen = await readOrder(context, order)
  const { challenge } = seen
  if (seen.status === 'invalid' || challenge?.status === 'invalid') return refused(seen)
  if (seen.status !== 'pending') return proceed({ status: 'finalizing', token: null })
  if (challenge?.status === 'pending' && order.looks % ACCEPT_EVERY === 0) {
    await context.acme.accept(context.account, challenge)
  }
  return CHECK
}

/** PEM of the new certificate's key. */
export function privateKeyOf(
  { keyring }: Pick<OrderContext, 'keyring'>,
  order: TakenOrder,
): string {
  const key = order.sealed_key && keyring.decrypt(order.sealed_key, encryptedFor(order.id))
  if (!key) throw new AcmeRefused('key', 'The private key of the order cannot be decrypted.')
  return key.toString()
}

async function finalize(context: OrderContext, order: TakenOrder): Promise<Step> {
  const { acme, account, keyring } = context
  if (order.sealed_key === null) {
    return proceed({
      sealed_key: keyring.encrypt(Buffer.from(newPrivateKey()), encryptedFor(order.id)),
    })
  }
  const seen = await readOrder(context, order)
  if (seen.status === 'invalid') return refused(seen)
  if (seen.status === 'valid') return { change: {}, next: 'install' }
  if (seen.status === 'ready') {
    await acme.finalize(account, order.url ?? '', order.name, privateKeyOf(context, order))
  }
  return CHECK
}

export function nextStep(context: OrderContext, order: TakenOrder): Promise<Step> {
  if (order.status === 'ordering') return place(context, order)
  return order.status === 'validating' ? validate(context, order) : finalize(context, order)
}
