/** Background tasks of invoices. */
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import { DRAFT_INVOICES } from '../../metering/subscriptions/subscription.ts'
import {
  draftInvoices,
  finalizeInvoices,
  type IssueServices,
  lapseInvoices,
} from './invoice-issue.ts'

const MAKE_INVOICES = 'invoices.make'

async function makeInvoices(services: IssueServices, signal: AbortSignal): Promise<void> {
  await draftInvoices(services, signal)
  await lapseInvoices(services.db, signal)
  await finalizeInvoices(services, signal)
}

export const createInvoiceTasks = (services: IssueServices): Task[] => [
  taskOf(DRAFT_INVOICES, (_payload, signal) => draftInvoices(services, signal)),
  {
    name: MAKE_INVOICES,
    everyMs: 60_000,
    run: (_payload, signal) => makeInvoices(services, signal),
  },
]
