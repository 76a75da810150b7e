/**
 * The open server-sent event streams of a process: limits their number and ends them at shutdown.
 */
import { type Failure, limited } from '../errors/errors.ts'
import { Tally } from '../lib/tally.ts'

export interface LiveLimits {
  perProcess: number
  perWorkspace: number
  /** The limit of one person, in all workspaces. */
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
  readonly #counts = new Tally()

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
    const counts = this.#counts
    const isOfUser = userId !== undefined
    if (isOfUser && counts.of(userId) >= perUser) throw tooMany('streams_of_user', perUser)
    if (counts.of(workspaceId) >= perWorkspace) throw tooMany('streams_of_workspace', perWorkspace)
    if (this.#open.size >= perProcess) throw tooMany('streams_of_process', perProcess)
    const owners = isOfUser ? [workspaceId, userId] : [workspaceId]
    this.#open.add(end)
    for (const owner of owners) counts.add(owner, 1)
    return () => {
      if (!this.#open.delete(end)) return
      for (const owner of owners) counts.add(owner, -1)
    }
  }

  endAll(): void {
    for (const end of this.#open) end()
  }
}
