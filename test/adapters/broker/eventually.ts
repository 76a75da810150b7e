/** Waiting for what happens soon. */
import { setTimeout as wait } from 'node:timers/promises'

/** Polls often, as some tests wait for hundreds of responses; gives up after two minutes. */
export async function eventually(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 120_000
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`)
    await wait(1)
  }
}
