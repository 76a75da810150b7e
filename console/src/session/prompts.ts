/** What a call may have to ask the person for. The components that ask register themselves. */

type Ask = () => Promise<boolean>

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

/** Asks once, however many calls wait. @returns whether the person did it */
export function requestProof(): Promise<boolean> {
  proof ??= askForProof().finally(() => {
    proof = undefined
  })
  return proof
}

/** Asks once, however many calls wait. @returns whether the person did it */
export function requestSignIn(): Promise<boolean> {
  signIn ??= askToSignIn().finally(() => {
    signIn = undefined
  })
  return signIn
}
