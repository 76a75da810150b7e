/** Waiting for what happens soon. */
import { setTimeout as wait } from 'node:timers/promises'

/** Waits until the condition holds; fails after ten seconds. */
export async function eventually(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 10_000
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`)
    await wait(1)
  }
}
