/** Probes of revocation: the session ends, and no cached decision lets the device back in. */
import { setTimeout as sleep } from 'node:timers/promises'
import { admitted, attempt, comesTrue, loginOptions } from './client.ts'
import { fail, pass, type Probe } from './examination.ts'

/** How long to keep trying afterwards: longer than brokers cache by default, per attempt. */
const WATCHED_MS = 4_000
const TRIES_MS = 250

const revoke: Probe = {
  id: 'revoke',
  title: 'A suspended device is disconnected, and stays refused',
  advice:
    'Give the broker an admin address in the brokers file, so that the service can end ' +
    'sessions there.',
  topics: ['revoke'],
  async run(examined) {
    const { url, own, boundSeconds } = examined
    const client = await admitted(url, own)
    try {
      await examined.revokeOwn()
      const began = Date.now()
      const bound = boundSeconds * 1_000
      const isDisconnected = await comesTrue(() => client.isClosed(), bound)
      if (!isDisconnected) return fail(`the session was still open after ${boundSeconds} s`)
      const took = Date.now() - began
      const until = began + Math.max(bound, took) + WATCHED_MS
      // Within the bound, a decision in progress may still admit it.
      await sleep(Math.max(0, began + bound - Date.now()))
      while (Date.now() < until) {
        const again = await attempt(url, loginOptions(own))
        if (again.admitted) {
          again.client.end()
          return fail('it was disconnected, and then accepted again')
        }
        await sleep(TRIES_MS)
      }
      return pass(`disconnected after ${took} ms, and refused since then`)
    } finally {
      client.end()
    }
  },
}

export const revokeProbes: readonly Probe[] = [revoke]
