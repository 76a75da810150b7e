/** Background tasks of payments: resuming interrupted ones, and checking states. */
import type { Services } from '../../../context.ts'
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import type { ChargingProvider } from '../../../adapters/payment-provider/port.ts'
import { charge, isOpen, checkPayment } from './charge.ts'
import { takeDuePayments, findPayment } from './store.ts'
import { deleteEvents, CHECK_PAYMENT, type PaymentCheck } from './provider-event.ts'
import { bookReversals } from './reversal.ts'

const BATCH = 20

type JobServices = Pick<Services, 'db' | 'payments'>

async function checkOne(
  services: JobServices,
  provider: ChargingProvider,
  { workspaceId, id, reversals }: PaymentCheck,
): Promise<void> {
  let row = await findPayment.first(services.db, { workspaceId, id })
  if (row === undefined || row.provider !== provider.name) return
  if (isOpen(row)) ({ row } = await checkPayment(services.db, provider, row))
  if (reversals) await bookReversals(services.db, provider, row)
}

/** Resumes unfinished payments; one that cannot continue blocks no other. */
async function resume(services: JobServices, signal: AbortSignal): Promise<void> {
  const { db, payments } = services
  if (payments.kind !== 'charging') return
  const failures: unknown[] = []
  for (const { is_old: isOld, ...row } of await takeDuePayments.rows(db, { limit: BATCH })) {
    if (signal.aborted) break
    if (row.provider !== payments.name) continue
    await charge(db, payments, row, isOld).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** @param services with a database connection that sees all workspaces */
export const createPaymentTasks = (services: JobServices): Task[] => [
  taskOf(CHECK_PAYMENT, async (check) => {
    const { payments } = services
    if (payments.kind === 'charging') await checkOne(services, payments, check)
  }),
  { name: 'payments.resume', everyMs: 15_000, run: (_payload, signal) => resume(services, signal) },
  { name: 'payments.forget_events', everyMs: 3_600_000, run: () => deleteEvents(services.db) },
]
