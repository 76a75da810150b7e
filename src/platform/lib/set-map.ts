/** Several values of each key. A key without values takes no memory. */
export class SetMap<Value> {
  readonly #sets = new Map<string, Set<Value>>()

  of(key: string): Iterable<Value> {
    return this.#sets.get(key) ?? []
  }

  keys(): Iterable<string> {
    return this.#sets.keys()
  }

  add(key: string, value: Value): void {
    const values = this.#sets.get(key)
    if (values === undefined) this.#sets.set(key, new Set([value]))
    else values.add(value)
  }

  delete(key: string, value: Value): void {
    const values = this.#sets.get(key)
    if (values?.delete(value) && values.size === 0) this.#sets.delete(key)
  }
}
