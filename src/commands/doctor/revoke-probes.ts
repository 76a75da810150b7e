/** Probes of revocation: the session ends, and no cached decision lets the device back in. */
import { setTimeout as sleep } from 'node:timers/promises'
import { admitted, attempt, comesTrue, loginOptions } from './client.ts'
import { fail, pass, type Probe } from './examination.ts'

/** How long to keep trying afterwards: longer than brokers cache by default, per attempt. */
const WATCHED_MS = 4_000
const TRIES_MS = 250

const revoke: Probe = {
  id: 'revoke',
  title: 'A suspended device is cut, and stays out',
  cure: {
    any: 'Give the broker an admin address in the brokers file, so that sessions can be cut there.',
    emqx: 'Give the brokers file an API key, and set authentication.node_cache off or let this service reset it.',
    rabbitmq:
      'Load rabbitmq_management, give the brokers file its address, and leave rabbitmq_auth_backend_cache out.',
    'mosquitto-go-auth': 'Set auth_opt_cache false, or its times below what a revoke may take.',
    vernemq:
      'Let the webhooks answer without cache-control, and give the brokers file an admin address.',
  },
  async run(patient) {
    const { url, own, boundSeconds } = patient
    const client = await admitted(url, own)
    try {
      await patient.revokeOwn()
      const began = Date.now()
      const bound = boundSeconds * 1_000
      const isCut = await comesTrue(() => client.isClosed(), bound)
      if (!isCut) return fail(`the session was alive after ${boundSeconds} s`)
      const took = Date.now() - began
      const until = began + Math.max(bound, took) + WATCHED_MS
      // Within the bound, a decision in progress may still admit it.
      await sleep(Math.max(0, began + bound - Date.now()))
      while (Date.now() < until) {
        const again = await attempt(url, loginOptions(own))
        if (again.admitted) {
          again.client.end()
          return fail('it was cut, and then let in again')
        }
        await sleep(TRIES_MS)
      }
      return pass(`cut after ${took} ms, and refused ever since`)
    } finally {
      client.end()
    }
  },
}

export const revokeProbes: readonly Probe[] = [revoke]
