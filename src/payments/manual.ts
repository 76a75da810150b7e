/** Payments by hand: transfers, cash, whatever the operator takes, who then says what was paid. */
import type { ManualProvider } from './port.ts'

const INSTRUCTIONS = 'Pay the operator of this service, who then records the payment.'

/** @param instructions how to pay, such as the details of a bank account. */
export const createManualProvider = (instructions: string | undefined): ManualProvider => ({
  kind: 'manual',
  instructions: instructions ?? INSTRUCTIONS,
})
