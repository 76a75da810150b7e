/**
 * The principals that the service disconnected while a CONNECT was being decided: a decision that
 * the authority made before the disconnect must not open a session after it.
 */
export class RecentDisconnects {
  #serial = 0
  #undecided = 0
  #serials = new Map<string, number>()

  /** The number of the latest disconnect. */
  get serial(): number {
    return this.#serial
  }

  /** Marks the start of a decision. @returns the number to pass to `isDisconnectedSince` */
  begin(): number {
    this.#undecided += 1
    return this.#serial
  }

  end(): void {
    this.#undecided -= 1
    if (this.#undecided === 0) this.#serials.clear()
  }

  note(principalId: string): void {
    this.#serial += 1
    if (this.#undecided > 0) this.#serials.set(principalId, this.#serial)
  }

  isDisconnectedSince(begun: number, principalId: string): boolean {
    return (this.#serials.get(principalId) ?? 0) > begun
  }
}
