/**
 * Batches point reads by id: those requested in one turn of the event loop, or while others are in
 * progress, share a statement. A reconnecting fleet is read by the dozen; a single device waits no
 * longer than by itself.
 */

/** Maximum ids per statement. */
const AT_ONCE = 128
/** Concurrent statements: while the server works on one, the next is sent. */
const UNDER_WAY = 2

export class GatheredReads<Row extends { id: string }> {
  readonly #read: (ids: readonly string[]) => Promise<readonly Row[]>
  #waiting = new Map<string, PromiseWithResolvers<Row | undefined>>()
  #underWay = 0
  #isDue = false

  /** @param read returns the rows of these ids in any order, omitting missing ones */
  constructor(read: (ids: readonly string[]) => Promise<readonly Row[]>) {
    this.#read = read
  }

  /** The row as of this call or later, or undefined; rejects if the statement fails. */
  find(id: string): Promise<Row | undefined> {
    const known = this.#waiting.get(id)
    if (known !== undefined) return known.promise
    const answer = Promise.withResolvers<Row | undefined>()
    this.#waiting.set(id, answer)
    this.#plan()
    return answer.promise
  }

  #plan(): void {
    if (this.#isDue || this.#underWay >= UNDER_WAY || this.#waiting.size === 0) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      void this.#send()
    })
  }

  async #send(): Promise<void> {
    const sent = [...this.#waiting].slice(0, AT_ONCE)
    for (const [id] of sent) this.#waiting.delete(id)
    this.#underWay += 1
    this.#plan()
    try {
      const rows = await this.#read(sent.map(([id]) => id))
      const found = new Map(rows.map((row) => [row.id, row]))
      for (const [id, answer] of sent) answer.resolve(found.get(id))
    } catch (error) {
      for (const [, answer] of sent) answer.reject(error)
    } finally {
      this.#underWay -= 1
      this.#plan()
    }
  }
}
