/** Background tasks that run certificate orders and watch expiry. */
import { type Periodic, type Task, taskOf } from '../../../platform/jobs/job.ts'
import { RUN_ORDER } from './acme-order.ts'
import { watchCertificates } from './certificate-watch.ts'
import { checkRenewals } from './renewal-check.ts'
import { runOrder, type RunServices } from './order-run.ts'

const WATCH = 'domain-certificates.watch'
const CHECK = 'domain-certificates.look_at_renewals'

export const createDomainCertificateTasks = (services: RunServices): Task[] => [
  taskOf(RUN_ORDER, ({ workspace_id, order_id: id }, signal) =>
    runOrder(services, { workspace_id, id }, signal),
  ),
  { name: WATCH, run: () => watchCertificates(services) },
  { name: CHECK, run: (_payload, signal) => checkRenewals(services, signal) },
]

export const domainCertificateRepetitions: readonly Periodic[] = [
  { task: WATCH, everyMs: 60_000 },
  { task: CHECK, everyMs: 60_000 },
]
