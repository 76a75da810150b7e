/** Lets a person pay in a document that also runs the script of the payment provider. */
import type { Context } from '../../../context.ts'
import type { UserCaller } from '../../../platform/access/principal.ts'
import { issuePaymentToken, PAYMENT_TOKEN_SECONDS } from '../../../platform/access/payment-token.ts'
import { requireCharging } from '../payment-methods/provider-call.ts'
import type { PaymentToken } from './schema.ts'

/** @throws Failure payments_by_hand */
export async function createPaymentToken({
  caller,
  clock,
  keyring,
  payments,
  workspaceId,
}: Context<UserCaller>): Promise<PaymentToken> {
  requireCharging(payments)
  const { userId, sessionId } = caller
  const token = issuePaymentToken(keyring, { userId, sessionId, workspaceId }, clock.now())
  return { token, expires_in: PAYMENT_TOKEN_SECONDS }
}
