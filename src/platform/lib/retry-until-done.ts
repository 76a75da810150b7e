/** Work that may fail for a while and must be done in the end. */

interface Retries {
  pauseMs: number
  /** Called with the error of each failed attempt. */
  failed: (error: unknown) => void
  /** Asked before each attempt; by default the work is wanted for as long as the process runs. */
  isWanted?: () => boolean
  /** Whether a pause keeps the process alive, which by default it does not. */
  ref?: boolean
}

/**
 * Attempts the work at once, and again after a pause until it succeeds.
 * @returns undefined if the work was not wanted any more
 */
export async function retryUntilDone<Result>(
  attempt: () => Promise<Result>,
  { pauseMs, failed, isWanted = () => true, ref = false }: Retries,
): Promise<Result | undefined> {
  while (isWanted()) {
    try {
      return await attempt()
    } catch (error) {
      failed(error)
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, pauseMs)
      if (!ref) timer.unref()
      await promise
    }
  }
  return undefined
}
