/**
 * Answers that a hook gives badly on purpose, to logins that were made for it: whoever examines a
 * broker sees then what it does when we fail. None of them is a yes in any broker's words.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

export type Disturbance = 'hang' | 'error' | 'empty' | 'garbage' | 'drop'

/** Longer than any broker's patience. */
const HANG_MS = 30_000

/** @param goesByStatus whether the broker takes every 200 for a yes. */
export async function disturb(
  reply: FastifyReply,
  disturbance: Disturbance,
  goesByStatus: boolean,
): Promise<void> {
  const status = goesByStatus ? 503 : 200
  if (disturbance === 'hang') await sleep(HANG_MS, undefined, { ref: false })
  if (disturbance === 'hang' || disturbance === 'drop') {
    reply.hijack()
    reply.raw.destroy()
    return
  }
  if (disturbance === 'error') await reply.code(500).type('text/plain').send('disturbed')
  else if (disturbance === 'empty') await reply.code(status).send('')
  else await reply.code(status).type('application/json').send('{"result":')
}
