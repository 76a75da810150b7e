/** Manual payments, such as bank transfers, which the operator confirms. */
import type { ManualProvider } from './port.ts'

const INSTRUCTIONS = 'No cards are charged here. Ask the operator of this service how to pay.'

/** @param instructions how to pay, such as bank account details */
export const createManualProvider = (instructions: string | undefined): ManualProvider => ({
  kind: 'manual',
  instructions: instructions ?? INSTRUCTIONS,
})
