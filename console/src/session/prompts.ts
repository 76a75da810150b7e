/** What a call may have to ask the person for. The components that ask register themselves. */

/** @param needsFactor whether a password is not enough */
type Ask = (needsFactor: boolean) => Promise<boolean>

const none: Ask = () => Promise.resolve(false)
let askForProof = none
let askToSignIn = none
let proof: Promise<boolean> | undefined
let signIn: Promise<boolean> | undefined

/** @returns a function that withdraws it */
export function answerProofsWith(ask: Ask): () => void {
  askForProof = ask
  return () => {
    askForProof = none
  }
}

/** @returns a function that withdraws it */
export function answerSignInsWith(ask: Ask): () => void {
  askToSignIn = ask
  return () => {
    askToSignIn = none
  }
}

/**
 * Asks once, however many calls wait.
 * @param needsFactor whether a password is not enough
 * @returns whether the person did it
 */
export function requestProof(needsFactor: boolean): Promise<boolean> {
  proof ??= askForProof(needsFactor).finally(() => {
    proof = undefined
  })
  return proof
}

/** Asks once, however many calls wait. @returns whether the person did it */
export function requestSignIn(): Promise<boolean> {
  signIn ??= askToSignIn(false).finally(() => {
    signIn = undefined
  })
  return signIn
}
