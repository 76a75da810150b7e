/**
 * Provider events. An event only triggers a check: the truth is read from the provider by the id
 * that we store. A forged event would need a valid signature, and duplicates, delays and reordering
 * change nothing.
 */
import type { Services } from '../../../context.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { exhaust } from '../../../platform/database/sql.ts'
import type { ProviderEvent } from '../../../adapters/payment-provider/port.ts'
import { enqueueMethodSync } from '../payment-methods/method-sync.ts'
import { enqueueSetupCheck } from '../payment-methods/method-setup.ts'
import { findByProviderId, deleteProviderEvents, takeProviderEvent } from './store.ts'

export const CHECK_PAYMENT = taskKind<PaymentCheck>('payments.look', { reversals: false })

/** Longer than providers redeliver, and than a signature is valid. */
const KEEP_DAYS = 30
const BATCH = 1_000

export interface PaymentCheck {
  workspaceId: string
  id: string
  /** Whether money may have been refunded. */
  reversals: boolean
}

async function enqueueCheck(trx: Db, provider: string, event: ProviderEvent): Promise<void> {
  const { subject } = event
  if (subject === undefined) return
  if (subject.kind === 'setup') return enqueueSetupCheck(trx, provider, subject.id)
  if (subject.kind === 'customer') return enqueueMethodSync(trx, provider, subject.id)
  const ref = await findByProviderId.first(trx, { provider, providerId: subject.id })
  if (ref === undefined) return
  const { workspace_id: workspaceId, id } = ref
  const reversals = subject.kind === 'reversal'
  const check = { workspaceId, id, reversals }
  await enqueue(trx, CHECK_PAYMENT, check, { key: `${reversals ? 'reversals' : 'payment'}:${id}` })
}

/**
 * Accepts an event and responds as soon as it is stored.
 * @param body the raw bytes
 * @returns whether its signature is valid; this includes events that do not concern us
 */
export async function takeEvent(
  { db, payments }: Pick<Services, 'db' | 'payments'>,
  body: Buffer,
  signature: string,
): Promise<boolean> {
  if (payments.kind !== 'charging') return false
  const event = await payments.readEvent(body, signature)
  if (event === undefined) return false
  if (event.subject === undefined) return true
  await db.transaction(async (trx) => {
    if (!(await takeProviderEvent.any(trx, { provider: payments.name, id: event.id }))) return
    await enqueueCheck(trx, payments.name, event)
  })
  return true
}

export const deleteEvents = (db: Db): Promise<void> =>
  exhaust(deleteProviderEvents, db, { days: KEEP_DAYS, limit: BATCH })
