/** Background tasks that run certificate orders and watch expiry. */
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import { RUN_ORDER } from './acme-order.ts'
import { watchCertificates } from './certificate-watch.ts'
import { checkRenewals } from './renewal-check.ts'
import { runOrder, type RunServices } from './order-run.ts'

export const createDomainCertificateTasks = (services: RunServices): Task[] => [
  taskOf(RUN_ORDER, ({ workspace_id, order_id: id }, signal) =>
    runOrder(services, { workspace_id, id }, signal),
  ),
  { name: 'domain-certificates.watch', everyMs: 60_000, run: () => watchCertificates(services) },
  {
    name: 'domain-certificates.look_at_renewals',
    everyMs: 60_000,
    run: (_payload, signal) => checkRenewals(services, signal),
  },
]
