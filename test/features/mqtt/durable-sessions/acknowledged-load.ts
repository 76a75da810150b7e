/** Publishers that never stop, and whether everything that was acknowledged is delivered. */
import assert from 'node:assert/strict'
import { until } from '../../../support/until.ts'
import type { Listener } from './durable-service.ts'

/** Messages that each publisher has in flight at once. */
const WINDOW = 5

/** Texts by QoS. */
type Acknowledged = Record<1 | 2, string[]>

/** Publishes on two topics, the second with QoS 2, until the work is over. */
export function publishAlways(publishers: readonly Listener[], topics: readonly [string, string]) {
  const acknowledged: Acknowledged = { 1: [], 2: [] }
  const load = { isOver: false }
  const work = publishers.flatMap(({ client }, publisher) =>
    Array.from({ length: WINDOW }, async (_, line) => {
      const qos = publisher % 2 === 0 ? 1 : 2
      for (let count = 0; !load.isOver; count += 1) {
        const message = `${publisher}/${line}/${count}`
        await client.publishAsync(topics[qos - 1] as string, message, { qos })
        acknowledged[qos].push(message)
      }
    }),
  )
  const count = (): number => acknowledged[1].length + acknowledged[2].length
  /** Waits for so many further acknowledgements. */
  const continues = async (round: number): Promise<void> => {
    const before = count()
    await until('messages are acknowledged', () => count() >= before + round)
  }
  const end = async (): Promise<void> => {
    load.isOver = true
    await Promise.all(work)
  }
  return { acknowledged, continues, end }
}

/** Everything is delivered, and with QoS 2 once. */
export async function assertDelivered(
  { texts }: Listener,
  acknowledged: Acknowledged,
): Promise<void> {
  const seen = new Map<string, number>()
  const missing = (): string[] => {
    seen.clear()
    for (const text of texts()) seen.set(text, (seen.get(text) ?? 0) + 1)
    return [...acknowledged[1], ...acknowledged[2]].filter((text) => !seen.has(text))
  }
  await until('everything acknowledged is delivered', () => missing().length === 0)
  const twice = acknowledged[2].filter((text) => seen.get(text) !== 1)
  assert.deepEqual(twice, [], 'QoS 2 is delivered once')
}
