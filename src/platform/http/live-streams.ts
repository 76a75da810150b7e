/**
 * The open server-sent event streams of a process: limits their number and ends them at shutdown.
 */
import { type Failure, limited } from '../errors/errors.ts'

export interface LiveLimits {
  perProcess: number
  perWorkspace: number
  /** Of one person, in all workspaces. */
  perUser: number
}

export interface StreamOwner {
  workspaceId: string
  /** Undefined for other callers than people. */
  userId: string | undefined
}

/** `Retry-After` of a refused client, in seconds: streams end only when clients leave. */
const RETRY_SECONDS = 10

const tooMany = (name: string, value: number): Failure =>
  limited(
    'too_many_streams',
    { name, value, resetSeconds: RETRY_SECONDS },
    { detail: `The limit ${name} of ${value} open streams is reached.` },
  )

export class LiveStreams {
  readonly #limits: LiveLimits
  readonly #open = new Set<() => void>()
  /** By workspace and by user: their ids are UUIDs. */
  readonly #counts = new Map<string, number>()

  constructor(limits: LiveLimits) {
    this.#limits = limits
  }

  /**
   * Registers a stream.
   * @param end called at shutdown
   * @returns unregisters it; idempotent
   * @throws Failure too_many_streams
   */
  add({ workspaceId, userId }: StreamOwner, end: () => void): () => void {
    const { perProcess, perWorkspace, perUser } = this.#limits
    const open = (owner: string): number => this.#counts.get(owner) ?? 0
    if (userId !== undefined && open(userId) >= perUser) throw tooMany('streams_of_user', perUser)
    if (open(workspaceId) >= perWorkspace) throw tooMany('streams_of_workspace', perWorkspace)
    if (this.#open.size >= perProcess) throw tooMany('streams_of_process', perProcess)
    const owners = userId === undefined ? [workspaceId] : [workspaceId, userId]
    this.#open.add(end)
    for (const owner of owners) this.#counts.set(owner, open(owner) + 1)
    return () => {
      if (!this.#open.delete(end)) return
      for (const owner of owners) {
        const left = open(owner) - 1
        if (left > 0) this.#counts.set(owner, left)
        else this.#counts.delete(owner)
      }
    }
  }

  endAll(): void {
    for (const end of this.#open) end()
  }
}
