/**
 * The cost of idle connections: `npm run bench -- idle`. The service is one process; the devices
 * are plain sockets in another. Memory is the resident set size.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReconnectProgram } from './programs/reconnect-load.ts'
import { grouped, plainTable } from './support/plain-table.ts'
import { openFilesLimit, processorSeconds, residentMiB } from './support/processes.ts'
import type { Fixture } from './support/environment.ts'

interface IdleResult {
  connections: number
  /** Resident memory of the service in MiB: without a connection, and with all of them. */
  restMiB: number
  heldMiB: number
  /** How long they had been connected by then. */
  waitedSeconds: number
  /** Processor time of the service while each of them sent a ping, in percent of a core. */
  processorPercent: number
}

const IDLE_AIM_MIB = 300

const PING_MS = 10_000
/** V8 gives back what connecting took once it has seen that little happens: within two minutes. */
const LONGEST_WAIT_MS = 150_000
const POLL_MS = 5_000
const SPARE_FILES = 200

export function requireFiles(connections: number): void {
  const limit = openFilesLimit()
  if (limit >= connections + SPARE_FILES) return
  throw new Error(
    `${connections} connections need as many open files, and this shell allows ${limit}: ` +
      `run \`ulimit -n ${connections + SPARE_FILES}\` first, or more`,
  )
}

export async function idle(fixture: Fixture, connections: number): Promise<IdleResult> {
  requireFiles(connections)
  const database = await fixture.newDatabase(connections)
  const service = await fixture.startService(database)
  await service.settle()
  const restMiB = residentMiB(service.pid)
  const reconnectLoad = fixture.start<ReconnectProgram>('bench/programs/reconnect-load.ts')
  await reconnectLoad.call('load', { devices: database.devices })
  const { refused } = await reconnectLoad.call('gather', {
    port: service.ports.mqtt,
    jitterMs: 5_000,
  })
  if (Object.keys(refused).length > 0) throw new Error('A device was refused.')
  await service.settle()
  const begun = performance.now()
  const waited = (): number => performance.now() - begun
  while (residentMiB(service.pid) >= IDLE_AIM_MIB && waited() < LONGEST_WAIT_MS)
    await sleep(POLL_MS)
  const waitedSeconds = waited() / 1_000
  const before = processorSeconds(service.pid)
  const held = await reconnectLoad.call('ping', { withinMs: PING_MS })
  const seconds = processorSeconds(service.pid) - before
  if (held !== connections) throw new Error(`Only ${held} are still connected.`)
  return {
    connections,
    restMiB,
    heldMiB: residentMiB(service.pid),
    waitedSeconds,
    processorPercent: (seconds / (PING_MS / 1_000)) * 100,
  }
}

export function idleTable(result: IdleResult): string {
  const { connections, restMiB, heldMiB, waitedSeconds, processorPercent } = result
  const each = ((heldMiB - restMiB) * 1_024) / connections
  const outcome = heldMiB < IDLE_AIM_MIB ? 'kept' : 'above'
  return plainTable([
    ['', ''],
    ['connections', grouped(connections)],
    ['the service without them', `${restMiB.toFixed(0)} MiB`],
    ['with all of them', `${heldMiB.toFixed(0)} MiB (less than ${IDLE_AIM_MIB}: ${outcome})`],
    ['each of them', `${each.toFixed(1)} KiB`],
    ['looked at after', `${waitedSeconds.toFixed(0)} s`],
    ['processor, with a ping of each in ten seconds', `${processorPercent.toFixed(1)} % of a core`],
  ])
}
