/**
 * The proofs that a call may have to ask the person for. The components that ask are loaded after
 * the page, so a question that comes earlier waits for them.
 */
import { onSession, presentSession } from './session.ts'

/** @param needsFactor whether a password is not enough */
type Ask = (needsFactor: boolean) => Promise<boolean>

class Prompt {
  #ask = Promise.withResolvers<Ask>()
  #answer: Promise<boolean> | undefined

  constructor() {
    // A prompt for an earlier call must not reach the person who signs in next.
    onSession(() => {
      if (presentSession().status !== 'out') return
      this.#ask.resolve(() => Promise.resolve(false))
      this.#ask = Promise.withResolvers()
    })
  }

  /** @returns a function that withdraws it */
  readonly handleWith = (ask: Ask): (() => void) => {
    this.#ask.resolve(ask)
    return () => {
      this.#ask = Promise.withResolvers()
    }
  }

  /** Asks once, however many calls wait. @returns whether the person did it */
  request(needsFactor: boolean): Promise<boolean> {
    if (presentSession().status === 'out') return Promise.resolve(false)
    this.#answer ??= this.#ask.promise
      .then((ask) => ask(needsFactor))
      .finally(() => {
        this.#answer = undefined
      })
    return this.#answer
  }
}

export const proofPrompt = new Prompt()
export const signInPrompt = new Prompt()
