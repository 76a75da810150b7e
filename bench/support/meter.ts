/**
 * The cost of a measurement besides time: processor time of each program and of Postgres, the
 * write-ahead log (WAL), and how much of the machine belonged to others meanwhile.
 */
import { watchOthers } from './machine.ts'
import { treeSeconds } from './processes.ts'

/** Totals of processor time in seconds, and of bytes. */
export interface Used {
  /** The program that is measured, and the processes that it has started. */
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
  /** The process id of the Postgres server. */
  postgresPid: number
  /** Bytes of WAL since the server was made. */
  walBytes: () => Promise<number>
}

/** Processes that only make work for others. */
const isGenerator = (program: string): boolean => /-load\.ts$|receivers\.ts$/.test(program)

export function createMeter({ programs, postgresPid, walBytes }: Metered): Meter {
  const read = async () => {
    const totals = { service: 0, generator: 0 }
    for (const { pid, program } of programs()) {
      totals[isGenerator(program) ? 'generator' : 'service'] += treeSeconds(pid)
    }
    return {
      ...totals,
      postgres: treeSeconds(postgresPid),
      wal: await walBytes(),
    }
  }
  return {
    async begin() {
      const before = await read()
      const others = watchOthers()
      return async () => {
        const after = await read()
        const spent = (of: keyof typeof before): number => after[of] - before[of]
        return {
          service: spent('service'),
          postgres: spent('postgres'),
          generator: spent('generator'),
          walBytes: spent('wal'),
          others: others(),
        }
      }
    },
  }
}
