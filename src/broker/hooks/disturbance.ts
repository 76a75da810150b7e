/**
 * Answers that a hook gives badly on purpose, to logins that were made for it: whoever examines a
 * broker sees then what it does when we fail. None of them is a yes in any broker's words.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export type Disturbance = 'hang' | 'error' | 'empty' | 'garbage' | 'drop'

/** Longer than any broker's patience. */
const HANG_MS = 30_000

/** @param goesByStatus whether the broker takes every 200 for a yes. */
export async function disturb(
  response: ServerResponse,
  disturbance: Disturbance,
  goesByStatus: boolean,
): Promise<void> {
  const status = goesByStatus ? 503 : 200
  if (disturbance === 'hang') await sleep(HANG_MS, undefined, { ref: false })
  if (disturbance === 'hang' || disturbance === 'drop') response.destroy()
  else if (disturbance === 'error') {
    response.writeHead(500, { 'content-type': 'text/plain' }).end('disturbed')
  } else if (disturbance === 'empty') response.writeHead(status).end()
  else response.writeHead(status, { 'content-type': 'application/json' }).end('{"result":')
}
