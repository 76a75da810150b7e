/**
 * How much a process sends at once. Receivers that fail, which may take a long time to do so, share
 * half of it: they never take it all from those that do not.
 */
const SLOTS = 512
const SLOTS_OF_FAILING = SLOTS / 2

interface Waiting {
  isFailing: boolean
  go: () => void
}

export class SendingSlots {
  #taken = 0
  #takenByFailing = 0
  readonly #waiting: Waiting[] = []

  get taken(): number {
    return this.#taken
  }

  /** Waits for its turn. @returns what gives the slot back. */
  async take(isFailing: boolean): Promise<() => void> {
    if (!this.#isFree(isFailing)) {
      await new Promise<void>((resolve) => this.#waiting.push({ isFailing, go: resolve }))
    } else this.#count(isFailing, 1)
    return () => {
      this.#count(isFailing, -1)
      this.#letGo()
    }
  }

  #isFree(isFailing: boolean): boolean {
    return this.#taken < SLOTS && !(isFailing && this.#takenByFailing >= SLOTS_OF_FAILING)
  }

  #count(isFailing: boolean, by: number): void {
    this.#taken += by
    if (isFailing) this.#takenByFailing += by
  }

  #letGo(): void {
    const at = this.#waiting.findIndex(({ isFailing }) => this.#isFree(isFailing))
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (next === undefined) return
    this.#count(next.isFailing, 1)
    next.go()
  }
}
