/**
 * The open server-sent event streams of a process: limits their number and ends them at shutdown.
 */
import { type Failure, limited } from '../errors/errors.ts'

export interface LiveLimits {
  perProcess: number
  perWorkspace: number
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
  readonly #byWorkspace = new Map<string, number>()

  constructor(limits: LiveLimits) {
    this.#limits = limits
  }

  /**
   * Registers a stream.
   * @param end called at shutdown
   * @returns unregisters it; idempotent
   * @throws Failure too_many_streams
   */
  add(workspaceId: string, end: () => void): () => void {
    const { perProcess, perWorkspace } = this.#limits
    const ofWorkspace = this.#byWorkspace.get(workspaceId) ?? 0
    if (ofWorkspace >= perWorkspace) throw tooMany('streams_of_workspace', perWorkspace)
    if (this.#open.size >= perProcess) throw tooMany('streams_of_process', perProcess)
    this.#open.add(end)
    this.#byWorkspace.set(workspaceId, ofWorkspace + 1)
    return () => {
      if (!this.#open.delete(end)) return
      const left = (this.#byWorkspace.get(workspaceId) ?? 1) - 1
      if (left > 0) this.#byWorkspace.set(workspaceId, left)
      else this.#byWorkspace.delete(workspaceId)
    }
  }

  endAll(): void {
    for (const end of this.#open) end()
  }
}
