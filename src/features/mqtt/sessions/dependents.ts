/**
 * Whose rights hang on what belongs to others: a phone's on its identity, on the session that asked
 * for its login, and on devices. What a change of one of these concerns is found here.
 */
export class Dependents {
  readonly #refs = new Map<string, readonly string[]>()
  readonly #names = new Map<string, Set<string>>()

  /** @param refs UUIDs; none: the name is forgotten. */
  set(name: string, refs: readonly string[]): void {
    for (const ref of this.#refs.get(name) ?? []) {
      const names = this.#names.get(ref)
      names?.delete(name)
      if (names?.size === 0) this.#names.delete(ref)
    }
    this.#refs.delete(name)
    if (refs.length > 0) this.#refs.set(name, refs)
    for (const ref of refs) {
      const names = this.#names.get(ref)
      if (names === undefined) this.#names.set(ref, new Set([name]))
      else names.add(name)
    }
  }

  of(ref: string): readonly string[] {
    return [...(this.#names.get(ref) ?? [])]
  }
}
