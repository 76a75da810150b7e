/** Whether the operator has written how to pay, or the service says what it says by default. */
const DEFAULT = /^No cards are charged here\. Ask the operator of this service how to pay\.$/

export const isByDefault = (instructions: string): boolean => DEFAULT.test(instructions)
