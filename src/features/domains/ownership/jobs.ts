/** Background tasks of domains. */
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { type RecheckServices, recheckDomains } from './domain-recheck.ts'

const RECHECK = 'domains.recheck'

export const createDomainTasks = (services: RecheckServices): Task[] => [
  { name: RECHECK, run: (_payload, signal) => recheckDomains(services, signal) },
]

export const domainRepetitions: readonly Periodic[] = [{ task: RECHECK, everyMs: 60_000 }]
