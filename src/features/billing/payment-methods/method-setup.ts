/**
 * Adds a payment method: a setup is started here, the card is entered at the provider, and the
 * method becomes active when the provider says so. Anyone who learns of that first activates it.
 */
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { withinLimit } from '../../../platform/errors/errors.ts'
import { creatorOf, serviceOrigin } from '../../../platform/record/event.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import type { ChargingProvider, ProviderSetup } from '../../../adapters/payment-provider/port.ts'
import { keyOf, type RowKey } from '../../common/row-key.ts'
import { cardOf, recordMethod } from './payment-method.ts'
import { customerOf, requireCharging, throughProvider } from './provider-call.ts'
import type { PaymentMethodSetup } from './schema.ts'
import * as store from './store.ts'

export const CHECK_SETUP = taskKind<{ workspace_id: string; id: string }>('payment_methods.look')

const MAX_METHODS = 20
const MAX_PENDING = 10
const BATCH = 20

/** Written before the provider is called, so that a lost response leaves a trace. */
async function insertPending(context: Context, provider: ChargingProvider): Promise<string> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    await store.lockMethods.run(trx, { id: workspaceId })
    const { active, pending } = await store.countMethods.one(trx, { workspaceId })
    withinLimit(active, 'payment_methods', MAX_METHODS, 'payment methods')
    withinLimit(pending, 'payment_methods', MAX_PENDING, 'set-ups of payment methods at once')
    const id = newUuid()
    const origin = originOf(context)
    const createdBy = creatorOf(origin)
    await store.insertMethod.run(trx, { workspaceId, id, provider: provider.name, createdBy })
    await recordMethod(trx, origin, 'payment_method.setup_begun', { workspaceId, id })
    return id
  })
}

/** @throws Failure payments_by_hand, limit_reached, payment_provider_unavailable */
export async function beginSetup(context: Context): Promise<PaymentMethodSetup> {
  const { db, workspaceId } = context
  const provider = requireCharging(context.payments)
  const id = await insertPending(context, provider)
  const setup = await throughProvider(async () => {
    const customerId = await customerOf(db, provider, workspaceId)
    return provider.openSetup({ methodId: formatId('pm', id), customerId })
  }).catch(async (error: unknown) => {
    // Nobody has the client secret to continue: attempts must not accumulate while the provider is
    // down.
    await store.abandonMethod.any(db, { workspaceId, id })
    throw error
  })
  await store.bindSetup.run(db, { workspaceId, id, setupId: setup.id })
  return {
    id: formatId('pm', id),
    status: 'pending',
    provider: provider.name,
    client_secret: setup.clientSecret ?? '',
    publishable_key: provider.publishableKey ?? null,
  }
}

async function activate(db: Db, key: RowKey, { method }: ProviderSetup): Promise<void> {
  if (method === undefined) return
  await db.transaction(async (trx) => {
    await store.lockMethods.run(trx, { id: key.workspaceId })
    const found = { ...key, providerId: method.id, ...method.card }
    const row = await store.activateMethod.first(trx, found)
    if (row === undefined) return
    const said = { data: cardOf(row), detail: { created_by: row.created_by } }
    await recordMethod(trx, serviceOrigin, 'payment_method.added', key, said)
  })
}

/** Queries a setup at the provider; one that is too old is abandoned. */
export async function checkSetup(
  { db, payments }: Pick<Services, 'db' | 'payments'>,
  key: RowKey,
  isOld = false,
): Promise<void> {
  const row = await store.findAnyMethod.first(db, key)
  if (payments.kind !== 'charging' || row?.status !== 'pending') return
  if (row.setup_id === null || row.provider !== payments.name) {
    if (isOld) await store.abandonMethod.any(db, key)
    return
  }
  const setup = await payments.readSetup(row.setup_id)
  if (setup.state === 'succeeded') return activate(db, key, setup)
  if (setup.state === 'waiting') {
    if (!isOld) return
    await payments.cancelSetup(row.setup_id)
    // It may have succeeded just now.
    const last = await payments.readSetup(row.setup_id)
    if (last.state === 'succeeded') return activate(db, key, last)
  }
  await store.abandonMethod.any(db, key)
}

/** Checks due setups, in case no event announced them. */
export async function checkDueSetups(services: Pick<Services, 'db' | 'payments'>): Promise<void> {
  for (const due of await store.takeDueSetups.rows(services.db, { limit: BATCH })) {
    await checkSetup(services, keyOf(due), due.is_old)
  }
}

/** Enqueues a check of the setup named in a provider event, if it is ours. */
export async function enqueueSetupCheck(trx: Db, provider: string, setupId: string): Promise<void> {
  const ref = await store.findBySetup.first(trx, { provider, setupId })
  if (ref !== undefined) await enqueue(trx, CHECK_SETUP, { ...ref }, { key: `setup:${ref.id}` })
}
