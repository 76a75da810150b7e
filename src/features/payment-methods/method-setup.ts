/**
 * How a payment method comes to be: a set-up is begun here, a card is entered at the provider, and
 * the method is there when the provider says so. Whoever learns of that first makes it active.
 */
import type { KnownCaller } from '../../access/principal.ts'
import { type Context, originOf, type Services } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import { serviceOrigin } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import { enqueue } from '../../jobs/job.ts'
import { formatId, newUuid } from '../../lib/ids.ts'
import type { ChargingProvider, ProviderSetup } from '../../payments/port.ts'
import { customerOf } from './payment-customer.ts'
import { demandCharging, throughProvider } from './provider-call.ts'
import type { PaymentMethodSetup } from './schema.ts'
import * as store from './store.ts'

export const LOOK_AT_SETUP = 'payment_methods.look'

const MOST_METHODS = 20
const MOST_PENDING = 10
const BATCH = 20

const tooMany = (what: string, value: number): Failure =>
  new Failure('limit_reached', {
    detail: `A workspace has at most ${value} ${what}.`,
    limit: { name: 'payment_methods', value },
  })

/** Writes the set-up down before the provider is asked, so that a lost answer leaves a trace. */
async function insertPending(
  context: Context<KnownCaller>,
  provider: ChargingProvider,
): Promise<string> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    await store.lockMethods(trx, workspaceId)
    const { active, pending } = await store.countMethods(trx, workspaceId)
    if (active >= MOST_METHODS) throw tooMany('payment methods', MOST_METHODS)
    if (pending >= MOST_PENDING) throw tooMany('set-ups of payment methods at once', MOST_PENDING)
    const id = newUuid()
    const origin = originOf(context)
    const createdBy = origin.actor.id ?? origin.actor.kind
    await store.insertMethod(trx, { workspaceId, id, provider: provider.name, createdBy })
    const shown = formatId('pm', id)
    await record(trx, origin, {
      workspaceId,
      action: 'payment_method.setup_begun',
      resource: { kind: 'payment_method', id: shown },
      data: { payment_method_id: shown },
    })
    return id
  })
}

/** @throws Failure payments_by_hand, limit_reached, payment_provider_unavailable */
export async function beginSetup(context: Context<KnownCaller>): Promise<PaymentMethodSetup> {
  const { db, workspaceId } = context
  const provider = demandCharging(context.payments)
  const id = await insertPending(context, provider)
  const setup = await throughProvider(async () => {
    const customerId = await customerOf(db, provider, workspaceId)
    return provider.openSetup({ methodId: formatId('pm', id), customerId })
  }).catch(async (error: unknown) => {
    // Nobody has the secret to go on with it: while the provider is away, tries must not add up.
    await store.abandonMethod(db, workspaceId, id)
    throw error
  })
  await store.bindSetup(db, workspaceId, id, setup.id)
  return {
    id: formatId('pm', id),
    status: 'pending',
    provider: provider.name,
    client_secret: setup.clientSecret ?? '',
    publishable_key: provider.publishableKey ?? null,
  }
}

async function activate(db: Db, ref: store.MethodRef, setup: ProviderSetup): Promise<void> {
  const { workspace_id: workspaceId, id } = ref
  const { method } = setup
  if (method === undefined) return
  await db.transaction(async (trx) => {
    await store.lockMethods(trx, workspaceId)
    const { id: providerId, card } = method
    const row = await store.activateMethod(trx, workspaceId, id, { providerId, card })
    if (row === undefined) return
    const shown = formatId('pm', id)
    await record(trx, serviceOrigin, {
      workspaceId,
      action: 'payment_method.added',
      resource: { kind: 'payment_method', id: shown },
      data: { payment_method_id: shown, brand: row.brand, last4: row.last4 },
      detail: { created_by: row.created_by },
    })
  })
}

/** Asks the provider how a set-up stands; one that is too old is given up. */
export async function lookAtSetup(
  { db, payments }: Pick<Services, 'db' | 'payments'>,
  ref: store.MethodRef,
  isOld = false,
): Promise<void> {
  const row = await store.findAnyMethod(db, ref.workspace_id, ref.id)
  if (payments.kind !== 'charging' || row?.status !== 'pending') return
  if (row.setup_id === null || row.provider !== payments.name) {
    if (isOld) await store.abandonMethod(db, ref.workspace_id, ref.id)
    return
  }
  const setup = await payments.readSetup(row.setup_id)
  if (setup.state === 'succeeded') return activate(db, ref, setup)
  if (setup.state === 'waiting') {
    if (!isOld) return
    await payments.cancelSetup(row.setup_id)
    // It may have succeeded in this moment.
    const last = await payments.readSetup(row.setup_id)
    if (last.state === 'succeeded') return activate(db, ref, last)
  }
  await store.abandonMethod(db, ref.workspace_id, ref.id)
}

/** Looks at the set-ups whose time has come, should no event have told of them. */
export async function lookAtDueSetups(services: Pick<Services, 'db' | 'payments'>): Promise<void> {
  for (const { is_old: isOld, ...ref } of await store.takeDueSetups(services.db, BATCH)) {
    await lookAtSetup(services, ref, isOld)
  }
}

/** Asks for a look at the set-up that an event of the provider names, if it is one of ours. */
export async function enqueueSetupLook(trx: Db, provider: string, setupId: string): Promise<void> {
  const ref = await store.findBySetup(trx, provider, setupId)
  if (ref !== undefined) await enqueue(trx, LOOK_AT_SETUP, { ...ref }, { key: `setup:${ref.id}` })
}
