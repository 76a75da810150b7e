/** Background tasks of payment methods: checking setups, and detaching. */
import type { Services } from '../../../context.ts'
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import { keyOf } from '../../common/row-key.ts'
import { CHECK_SETUP, checkDueSetups, checkSetup } from './method-setup.ts'
import { SYNC_METHODS, syncMethods } from './method-sync.ts'
import { DETACH_METHOD, detachMethod } from './payment-method.ts'

/** @param services with a database connection that sees all workspaces */
export const createPaymentMethodTasks = (services: Pick<Services, 'db' | 'payments'>): Task[] => [
  taskOf(CHECK_SETUP, (ref) => checkSetup(services, keyOf(ref))),
  taskOf(DETACH_METHOD, (key) => detachMethod(services, key)),
  taskOf(SYNC_METHODS, ({ workspaceId }) => syncMethods(services, workspaceId)),
  { name: 'payment_methods.look_at_due', everyMs: 30_000, run: () => checkDueSetups(services) },
]
