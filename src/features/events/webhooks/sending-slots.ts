/**
 * Limits a process's concurrent requests. Failing receivers, which may be slow to fail, share half
 * of the slots, and receivers of one workspace, which may be slow too, get at most a quarter, so
 * that none can starve the others.
 */
import { Tally } from '../../../platform/lib/tally.ts'

const SLOTS = 512
const SLOTS_OF_FAILING = SLOTS / 2
const SLOTS_OF_WORKSPACE = SLOTS / 4

interface Taker {
  workspaceId: string
  isFailing: boolean
}

export class SendingSlots {
  #taken = 0
  #takenByFailing = 0
  readonly #byWorkspace = new Tally()
  readonly #waiting: (Taker & { go: () => void })[] = []

  get taken(): number {
    return this.#taken
  }

  /** Waits for a slot. @returns a function that releases it */
  async take(taker: Taker): Promise<() => void> {
    if (this.#isFree(taker)) this.#count(taker, 1)
    else await new Promise<void>((go) => this.#waiting.push({ ...taker, go }))
    return () => {
      this.#count(taker, -1)
      this.#letGo()
    }
  }

  #isFree({ workspaceId, isFailing }: Taker): boolean {
    if (isFailing && this.#takenByFailing >= SLOTS_OF_FAILING) return false
    return this.#taken < SLOTS && this.#byWorkspace.of(workspaceId) < SLOTS_OF_WORKSPACE
  }

  #count({ workspaceId, isFailing }: Taker, by: number): void {
    this.#taken += by
    if (isFailing) this.#takenByFailing += by
    this.#byWorkspace.add(workspaceId, by)
  }

  #letGo(): void {
    const at = this.#waiting.findIndex((each) => this.#isFree(each))
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (next === undefined) return
    this.#count(next, 1)
    next.go()
  }
}
