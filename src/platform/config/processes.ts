/** The variable for the number of processes. */
import { refuse, type Variable } from './kinds.ts'

const NAME = 'MOORING_PROCESSES'
const MOST = 64

export const processVariables = {
  processes: {
    name: NAME,
    fallback: 'auto: one on up to two cores, else one for each core, at most eight',
    about:
      'Processes on this machine, including the one that is started. From two on, that one has the broker, the timers and the embedded database, and the others answer the API on its port.',
    read(value) {
      if (value === undefined || value === 'auto') return undefined
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
      if (number >= 1 && number <= MOST) return number
      return refuse(NAME, `must be auto or a whole number from 1 to ${MOST}`)
    },
  } satisfies Variable<number | undefined>,
} as const
