/**
 * What a measurement costs besides time: processor time of each program and of Postgres, the
 * write-ahead log (WAL), and how much of the machine belonged to others meanwhile.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { processorSeconds, TICKS_PER_SECOND, treeSeconds } from './processes.ts'

/** Totals of processor time in seconds, and of bytes. */
export interface Used {
  /** Of the program that is measured, and of the processes that it has started. */
  service: number
  postgres: number
  generator: number
  walBytes: number
  /** Share of all cores that programs outside the bench used, from 0 to 1. */
  others: number
}

export interface Meter {
  /** @returns what is called at the end of the measurement. */
  begin(): Promise<() => Promise<Used>>
}

interface Metered {
  /** All programs that run now. */
  programs: () => readonly { pid: number; program: string }[]
  /** Of the Postgres server. */
  postgresPid: number
  /** Bytes of WAL since the server was made. */
  walBytes: () => Promise<number>
}

/** Those that only make work for others. */
const isGenerator = (program: string): boolean => /-load\.ts$|receivers\.ts$/.test(program)

/** Time that all cores worked, as proc(5)'s `stat` has it: all but idle and waiting for a disk. */
function machineSeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + soft + steal) / TICKS_PER_SECOND
}

export function createMeter({ programs, postgresPid, walBytes }: Metered): Meter {
  const read = async () => {
    const totals = { service: 0, generator: 0 }
    for (const { pid, program } of programs()) {
      totals[isGenerator(program) ? 'generator' : 'service'] += treeSeconds(pid)
    }
    return {
      ...totals,
      postgres: treeSeconds(postgresPid),
      bench: processorSeconds(process.pid),
      machine: machineSeconds(),
      wal: await walBytes(),
      at: performance.now() / 1_000,
    }
  }
  return {
    async begin() {
      const before = await read()
      return async () => {
        const after = await read()
        const spent = (of: keyof typeof before): number => after[of] - before[of]
        const own = spent('service') + spent('generator') + spent('postgres') + spent('bench')
        const all = spent('at') * availableParallelism()
        return {
          service: spent('service'),
          postgres: spent('postgres'),
          generator: spent('generator'),
          walBytes: spent('wal'),
          others: Math.max(0, (spent('machine') - own) / all),
        }
      }
    },
  }
}
