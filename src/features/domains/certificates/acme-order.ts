/** ACME orders: placed, read and continued by callers. */
import type { AcmeAuthority } from '../../../adapters/acme/port.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found, limitReached } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { DAY_S } from '../../../platform/lib/time.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import { timestampOrNull } from '../../common/shapes.ts'
import { lockDomain, lockVerified, readDomain, resourceOf } from './certificate.ts'
import * as store from './store.ts'
import { AcmeOrderView, type OrderCertificate } from './schema.ts'
import { rowView } from '../../common/row-view.ts'
import { creatorOf } from '../../../platform/record/event.ts'

/** Additional services of operations on orders. */
export interface AcmeServices {
  /** Undefined: ACME is disabled. */
  acme: AcmeAuthority | undefined
}

export const RUN_ORDER = taskKind<{ workspace_id: string; order_id: string }>(
  'domain-certificates.run_order',
)

/** For `http-01` authorities check the proof at once; `dns-01` waits for people. */
export const LIFE_SECONDS = { 'http-01': DAY_S, 'dns-01': 7 * DAY_S } as const

/** Orders per workspace in 24 hours: authorities limit the whole installation. */
const ORDERS_PER_DAY = 50

export const recordNameOf = (name: string): string => `_acme-challenge.${name}`

function recordOf(row: store.OrderRow): AcmeOrderView['record'] {
  if (row.challenge !== 'dns-01' || row.proof === null) return null
  return { type: 'TXT', name: recordNameOf(row.name), value: row.proof }
}

const viewOf = rowView<store.OrderRow>()(AcmeOrderView, {
  record: (row) => (row.ended_at === null ? recordOf(row) : null),
  next_try_at: (row) => timestampOrNull(row.next_at),
})

/** At most two at a time: a slow authority must not block other work. */
const queueOf = (orderId: string): string => `acme-${Number.parseInt(orderId.slice(-1), 16) % 2}`

/** Continues the order once the transaction commits. */
export const scheduleRun = (
  trx: Db,
  { workspace_id, id }: Pick<store.OrderRow, 'workspace_id' | 'id'>,
  runAtMs?: number,
): Promise<void> =>
  enqueue(
    trx,
    RUN_ORDER,
    { workspace_id, order_id: id },
    { key: `acme-order:${id}`, queue: queueOf(id), ...(runAtMs !== undefined && { runAtMs }) },
  )

async function requireQuota(trx: Db, workspaceId: string): Promise<void> {
  await store.lockWorkspace.run(trx, { id: workspaceId })
  const { orders, reset_seconds: resetSeconds } = await store.countToday.one(trx, { workspaceId })
  if (orders < ORDERS_PER_DAY) return
  throw limitReached(
    'acme_orders_per_day',
    ORDERS_PER_DAY,
    'certificates a day',
    'A workspace orders',
    resetSeconds,
  )
}

/**
 * @throws Failure domain_not_found, invalid_transition, acme_off, acme_order_open, limit_reached
 */
export async function orderCertificate(
  context: Context & AcmeServices,
  domainId: string,
  { challenge }: OrderCertificate,
): Promise<AcmeOrderView> {
  const { db, workspaceId, acme } = context
  const origin = originOf(context)
  return db.transaction(async (trx) => {
    const domain = await lockVerified(trx, workspaceId, domainId)
    if (acme === undefined) throw new Failure('acme_off')
    await requireQuota(trx, workspaceId)
    const row = await store.insertOrder.first(trx, {
      workspaceId,
      id: newUuid(),
      domainId,
      name: domain.name,
      challenge,
      isRenewal: false,
      createdBy: creatorOf(origin),
      expiresAt: LIFE_SECONDS[challenge],
    })
    if (row === undefined) throw new Failure('acme_order_open')
    await scheduleRun(trx, row)
    await record(trx, origin, {
      workspaceId,
      action: 'certificate.ordered',
      resource: resourceOf(domainId),
      detail: { domain: domain.name, challenge },
    })
    return viewOf(row)
  })
}

/** @throws Failure domain_not_found, acme_order_not_found */
export async function getOrder(
  { db, workspaceId }: Context,
  domainId: string,
): Promise<AcmeOrderView> {
  await readDomain(db, { workspaceId }, domainId)
  const row = await store.findLatestOrder.first(db, { workspaceId, domainId })
  return viewOf(found(row, 'acme_order_not_found'))
}

/**
 * Announces that the TXT record is in place. Idempotent.
 * @throws Failure domain_not_found, acme_order_not_found, invalid_transition
 */
export async function continueOrder(context: Context, domainId: string): Promise<AcmeOrderView> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    const domain = await lockDomain(trx, { workspaceId }, domainId)
    const latest = await store.lockLatestOrder.first(trx, { workspaceId, domainId })
    const row = found(latest, 'acme_order_not_found')
    if (row.status === 'validating' || row.status === 'finalizing') return viewOf(row)
    const next = await store.continueOrder.first(trx, { workspaceId, id: row.id })
    if (next === undefined) {
      throw new Failure('invalid_transition', {
        detail: `The order is ${row.status}; only one that is waiting can be continued.`,
      })
    }
    await scheduleRun(trx, next)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'certificate.order_continued',
      resource: resourceOf(domainId),
      detail: { domain: domain.name },
    })
    return viewOf(next)
  })
}

/** The format of tokens; anything else is not looked up. */
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/

/** Read from the database, so any process can respond. */
export async function proofOf({ db }: { db: Db }, token: string): Promise<string | undefined> {
  if (!TOKEN.test(token)) return undefined
  return (await store.findProof.first(db, { token }))?.proof ?? undefined
}
