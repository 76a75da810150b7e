/** What runs orders of certificates, and watches over their ends, in the background. */
import type { Periodic, Task } from '../../jobs/job.ts'
import { RUN_ORDER } from './acme-order.ts'
import { watchCertificates } from './certificate-watch.ts'
import { runOrder, type RunServices } from './order-run.ts'

const WATCH = 'domain-certificates.watch'

export const createDomainCertificateTasks = (services: RunServices): Task[] => [
  {
    name: RUN_ORDER,
    run(payload, signal) {
      const { workspace_id, order_id: id } = payload as { workspace_id: string; order_id: string }
      return runOrder(services, { workspace_id, id }, signal)
    },
  },
  { name: WATCH, run: () => watchCertificates(services) },
]

export const domainCertificateRepetitions: readonly Periodic[] = [{ task: WATCH, everyMs: 60_000 }]
