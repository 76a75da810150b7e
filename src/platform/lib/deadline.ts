/**
 * Settles as `work` does, or as `late()` when the time is up; a later result is dropped. The wait
 * does not keep the process alive.
 */
export async function withDeadline<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms).unref()
  try {
    return await Promise.race([work, promise.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
