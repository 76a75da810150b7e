/** Formats results of `idle` and `measureReconnects`, for the terminal and docs/performance.md. */
import { IDLE_AIM_MIB, type IdleResult } from '../idle.ts'
import type { ReconnectResult } from '../reconnects.ts'

const grouped = (count: number): string => count.toLocaleString('en-US')
const table = (rows: string[][]): string =>
  [['', ''], ['---', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

export function idleTable(result: IdleResult): string {
  const { connections, restMiB, heldMiB, waitedSeconds, processorPercent } = result
  const each = ((heldMiB - restMiB) * 1_024) / connections
  const outcome = heldMiB < IDLE_AIM_MIB ? 'kept' : 'above'
  return table([
    ['connections', grouped(connections)],
    ['the service without them', `${restMiB.toFixed(0)} MiB`],
    ['with all of them', `${heldMiB.toFixed(0)} MiB (less than ${IDLE_AIM_MIB}: ${outcome})`],
    ['each of them', `${each.toFixed(1)} KiB`],
    ['looked at after', `${waitedSeconds.toFixed(0)} s`],
    ['processor, with a ping of each in ten seconds', `${processorPercent.toFixed(1)} % of a core`],
  ])
}

export function reconnectTable(result: ReconnectResult): string {
  const { devices, refused, reads } = result
  const refusals = Object.entries(refused).map(([code, count]) => `${count} with code ${code}`)
  return table([
    ['devices', grouped(devices)],
    ['until all are back', `${result.seconds.toFixed(1)} s`],
    ['refused', refusals.length === 0 ? 'none' : refusals.join(', ')],
    [
      'the API meanwhile, median and p99',
      `${result.medianMs.toFixed(1)} and ${result.p99Ms.toFixed(0)} ms`,
    ],
    ['reads of credentials, for each device', (reads / devices).toFixed(2)],
    ['connections to the database at most', String(result.connections)],
    ['processor time of the service', `${result.serviceSeconds.toFixed(1)} s`],
    ['processor time of the database', `${result.databaseSeconds.toFixed(1)} s`],
  ])
}
