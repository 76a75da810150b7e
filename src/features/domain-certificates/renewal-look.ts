/**
 * Asks authorities when they want certificates to be renewed (RFC 9773): sooner than usual when one
 * is to be revoked, or spread over days. Where they say nothing, two thirds of its life stand.
 */
import type { AcmeAuthority, RenewalWindow } from '../../acme/port.ts'
import type { RunServices } from './order-run.ts'
import * as store from './renewal-store.ts'

const BATCH = 50
/** In a run: an authority that is away is not asked about all the others. */
const MOST_FAILURES = 3
/** Until an authority that has said nothing is asked again, as the RFC proposes. */
const LOOK_S = 21_600
/** Parts of its life: an authority that is wrong has it renewed neither at once nor too late. */
const EARLIEST = 0.01
const LATEST = 0.9

/** Some time of the window; it stays as long as the window is the same. */
function renewAtOf({ start, end }: RenewalWindow, certificate: store.DueLook): number {
  const { not_before: from, not_after: to, renew_at: present } = certificate
  const chosen =
    present >= start && present <= end ? present : start + (end - start) * Math.random()
  const at = (part: number): number => from + (to - from) * part
  return Math.min(Math.max(chosen, at(EARLIEST)), at(LATEST))
}

async function look(
  { db }: Pick<RunServices, 'db'>,
  acme: AcmeAuthority,
  due: store.DueLook,
): Promise<void> {
  const window = await acme.renewalWindow(due.chain)
  if (window === undefined) return
  const renewAt = renewAtOf(window, due)
  await store.settleLook(db, due, { renewAt, nextInSeconds: window.retryAfterSeconds })
}

/** Safe to run in several processes at once. */
export async function lookAtRenewals(
  services: Pick<RunServices, 'db' | 'acme' | 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const { db, acme, warn } = services
  if (acme === undefined) return
  let failures = 0
  for (const due of await store.takeDueLooks(db, BATCH, LOOK_S)) {
    if (signal.aborted) return
    try {
      await look(services, acme, due)
    } catch (error) {
      warn('the ACME server could not be asked when a certificate is to be renewed', error)
      failures += 1
      if (failures === MOST_FAILURES) return
    }
  }
}
