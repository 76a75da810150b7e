/**
 * Deliberately bad hook answers to logins created for the purpose, which show what a broker does
 * when hooks fail. No broker can interpret one as permission.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export type Disturbance = 'hang' | 'error' | 'empty' | 'garbage' | 'drop'

/** Longer than any broker waits. */
const HANG_MS = 30_000

/** @param goesByStatus whether the broker takes any 200 as permission */
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
