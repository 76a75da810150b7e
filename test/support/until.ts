/** Waiting for something that another process or a batch makes true. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves with the first truthy value of `probe`; fails after `ms`, naming what was awaited.
 * By default, that is far longer than anything takes on a busy machine.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 180_000,
): Promise<T> {
  const deadline = Date.now() + ms
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`timed out: ${what}`)
    await sleep(20)
  }
}
