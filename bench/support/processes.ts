/** Memory and CPU time of processes, as reported by Linux. */
import { readdirSync, readFileSync } from 'node:fs'

/** The file of a process, or '' when it has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function mebibytes(pid: number, line: RegExp): number {
  const kib = line.exec(read(pid, 'status'))?.[1]
  return Number(kib ?? Number.NaN) / 1_024
}

/** Resident memory in MiB. */
export const residentMiB = (pid: number): number => mebibytes(pid, /^VmRSS:\s+(\d+) kB$/m)

/** The most that it was at any time, in MiB. */
export const peakMiB = (pid: number): number => mebibytes(pid, /^VmHWM:\s+(\d+) kB$/m)

/**
 * Memory in MiB of a process and all that come from it: of a page that several share, each has its
 * share (PSS).
 */
export function shareMiB(pid: number): number {
  const kib = Number(/^Pss:\s+(\d+) kB$/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0)
  return childrenOf(pid).reduce((sum, child) => sum + shareMiB(child), kib / 1_024)
}

/** The fields of proc(5)'s `stat` behind the name, which may hold anything. */
const statOf = (pid: number): string[] => read(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []

const PARENT = 1
const USER_TIME = 11
const SYSTEM_TIME = 12
/** USER_HZ; a constant of Linux on all that Node runs on. */
const TICKS_PER_SECOND = 100

/** Time that all cores worked, as proc(5)'s `stat` has it: all but idle and waiting for a disk. */
export function machineSeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + soft + steal) / TICKS_PER_SECOND
}

/** Processor time in seconds. */
export function processorSeconds(pid: number): number {
  const stat = statOf(pid)
  return (Number(stat[USER_TIME] ?? 0) + Number(stat[SYSTEM_TIME] ?? 0)) / TICKS_PER_SECOND
}

const ENDED_USER_TIME = 13
const ENDED_SYSTEM_TIME = 14

/** Processor time in seconds of what a process has started and seen end. */
function endedSeconds(pid: number): number {
  const stat = statOf(pid)
  const ticks = Number(stat[ENDED_USER_TIME] ?? 0) + Number(stat[ENDED_SYSTEM_TIME] ?? 0)
  return ticks / TICKS_PER_SECOND
}

/**
 * Processor time in seconds of a process and all that it has started. A child that ends meanwhile
 * moves from one part of the sum to the other: then the sum is taken again.
 */
export function treeSeconds(pid: number): number {
  for (;;) {
    const ended = endedSeconds(pid)
    const living = childrenOf(pid).reduce((sum, child) => sum + treeSeconds(child), 0)
    if (endedSeconds(pid) === ended) return processorSeconds(pid) + ended + living
  }
}

/** The parent of a process. */
export const parentOf = (pid: number): number => Number(statOf(pid)[PARENT])

const allProcesses = (): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)

/** The processes that have this parent. */
const childrenOf = (parent: number): number[] =>
  allProcesses().filter((pid) => parentOf(pid) === parent)

/** The processes that were started with this variable. */
export const processesWith = (name: string, value: string): number[] =>
  allProcesses().filter((pid) => read(pid, 'environ').split('\0').includes(`${name}=${value}`))

/** All that come from a process, at any distance. */
export const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

/** Whether it runs: one that has ended may wait for its parent to ask how. */
export const isRunning = (pid: number): boolean => !['', 'Z'].includes(statOf(pid)[0] ?? '')

/** How many files this process, and those that it starts, may have open. */
export function openFilesLimit(): number {
  const limit = /^Max open files\s+(\S+)/m.exec(read(process.pid, 'limits'))?.[1]
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}
