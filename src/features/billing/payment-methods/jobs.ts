/** Background tasks of payment methods: checking setups, and detaching. */
import type { Services } from '../../../context.ts'
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { CHECK_SETUP, checkDueSetups, checkSetup } from './method-setup.ts'
import { SYNC_METHODS, syncMethods } from './method-sync.ts'
import { DETACH_METHOD, detachMethod } from './payment-method.ts'

const CHECK_DUE = 'payment_methods.look_at_due'

/** @param services with a database connection that sees all workspaces */
export const createPaymentMethodTasks = (services: Pick<Services, 'db' | 'payments'>): Task[] => [
  {
    name: CHECK_SETUP,
    run: (payload) => checkSetup(services, payload as { workspace_id: string; id: string }),
  },
  {
    name: DETACH_METHOD,
    run: (payload) => detachMethod(services, payload as { workspaceId: string; id: string }),
  },
  {
    name: SYNC_METHODS,
    run: (payload) => syncMethods(services, (payload as { workspaceId: string }).workspaceId),
  },
  { name: CHECK_DUE, run: () => checkDueSetups(services) },
]

export const paymentMethodRepetitions: readonly Periodic[] = [{ task: CHECK_DUE, everyMs: 30_000 }]
