/** Watches certificates: renews them, warns of expiry, and resumes stuck orders. */
import { serviceOrigin } from '../../../platform/record/event.ts'
import { recordAll } from '../../../platform/record/record.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { scheduleRun, LIFE_SECONDS } from './acme-order.ts'
import { factsOf, resourceOf } from './certificate.ts'
import type { RunServices } from './order-run.ts'
import * as store from './store.ts'

type WatchServices = Pick<RunServices, 'db' | 'acme'>

const BATCH = 100
/** Days before expiry at which to warn. */
const STEPS = [30, 14, 7, 1]
const KEEP_DAYS = 30
const DELETE_BATCH = 1_000

/** Orders due renewals. A unique key allows one order per domain at a time. */
async function renew({ db, acme }: WatchServices): Promise<void> {
  if (acme === undefined) return
  for (const due of await store.findDueCertificates.rows(db, { limit: BATCH })) {
    const { workspace_id: workspaceId, domain_id: domainId, challenge, name } = due
    await db.transaction(async (trx) => {
      const domain = await store.lockDomainRow.first(trx, { workspaceId, id: domainId })
      if (domain?.status !== 'verified') return
      const order = await store.insertOrder.first(trx, {
        workspaceId,
        id: newUuid(),
        domainId,
        name,
        challenge,
        isRenewal: true,
        createdBy: 'service',
        expiresAt: LIFE_SECONDS[challenge],
      })
      if (order !== undefined) await scheduleRun(trx, order)
    })
  }
}

/** Why the service cannot renew it, and what to do. */
function problemOf({ status, source }: store.EndingCertificate): string {
  if (status === 'lapsed') {
    const what = source === 'acme' ? 'it is renewed' : 'a new one can be uploaded'
    return `The domain has lapsed. When its TXT record is back, ${what}.`
  }
  return source === 'upload'
    ? 'An uploaded certificate is not renewed by the service. Upload the next one.'
    : 'The service no longer orders certificates. Upload one.'
}

/** Warns about uploaded certificates, those of lapsed domains, and without ACME about all. */
async function warn({ db, acme }: WatchServices): Promise<void> {
  await db.transaction(async (trx) => {
    const ending = await store.noteEnding.rows(trx, {
      warnDays: STEPS,
      withinDays: Math.max(...STEPS),
      isAll: acme === undefined,
      limit: BATCH,
    })
    const changes = ending.map((row) => ({
      workspaceId: row.workspace_id,
      action: 'certificate.expiring' as const,
      resource: resourceOf(row.domain_id),
      data: {
        ...factsOf({ id: row.domain_id, name: row.name }, row),
        days: row.days,
        problem: problemOf(row),
      },
    }))
    await recordAll(trx, serviceOrigin, changes)
  })
}

export async function watchCertificates(services: WatchServices): Promise<void> {
  const { db } = services
  await renew(services)
  await warn(services)
  await db.transaction(async (trx) => {
    for (const order of await store.wakeExpiredOrders.rows(trx)) await scheduleRun(trx, order)
  })
  for (const order of await store.findStuckOrders.rows(db, { limit: BATCH }))
    await scheduleRun(db, order)
  await store.deleteEndedOrders.run(db, { days: KEEP_DAYS, limit: DELETE_BATCH })
}
