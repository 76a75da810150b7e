/** The machine of a measurement, and how much of it other programs had meanwhile. */
import { availableParallelism, cpus, totalmem } from 'node:os'
import { performance } from 'node:perf_hooks'
import { machineSeconds, treeSeconds } from './processes.ts'

export interface Machine {
  /** ISO date. */
  date: string
  processor: string
  cores: number
  /** In GiB. */
  memory: number
  node: string
  /** Version of the server; undefined where each side has its own. */
  postgres: string | undefined
  /** Share of all cores that programs outside the bench had, from 0 to 1. */
  others: number
}

export const machineOf = (others: number, postgres?: string): Machine => ({
  date: new Date().toISOString().slice(0, 10),
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memory: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  postgres,
  others,
})

/** @returns what says the share of others since now, from 0 to 1. */
export function watchOthers(): () => number {
  const read = () => ({
    at: performance.now() / 1_000,
    all: machineSeconds(),
    own: treeSeconds(process.pid),
  })
  const before = read()
  return () => {
    const after = read()
    const foreign = after.all - before.all - (after.own - before.own)
    const share = foreign / ((after.at - before.at) * availableParallelism())
    return Math.min(1, Math.max(0, share))
  }
}

/** Above this share other programs have distorted the figures. */
const BUSY = 0.1

/** The text above every table that is written to a page. */
export function machineLine(machine: Machine): string {
  const { date, cores, processor, memory, node, postgres, others } = machine
  const server = postgres === undefined ? '' : `, Postgres ${postgres}`
  const percent = `${Math.round(others * 100)} %`
  const busy =
    others > BUSY
      ? `**The machine was busy**: other programs used ${percent} of it, so the figures are unreliable.`
      : `Other programs used ${percent} of it.`
  return `${date}, ${cores} cores (${processor}), ${memory} GiB, Node ${node.slice(1)}${server}. ${busy}`
}
