/**
 * Queries authorities for renewal windows (RFC 9773): earlier than usual before a revocation, or
 * spread over days. Without advice a certificate is renewed after two thirds of its lifetime.
 */
import type { AcmeAuthority, RenewalWindow } from '../../../adapters/acme/port.ts'
import type { RunServices } from './order-run.ts'
import * as store from './store.ts'

const BATCH = 50
/** Per run: an unreachable authority is not asked about every certificate. */
const MAX_FAILURES = 3
/** Query interval for authorities that give none, as the RFC recommends. */
const POLL_S = 21_600
/** Bounds as fractions of the lifetime, against implausible advice. */
const EARLIEST = 0.01
const LATEST = 0.9

/** A random time in the window, stable as long as the window is. */
function renewAtOf({ start, end }: RenewalWindow, certificate: store.DueCheck): number {
  const { not_before: from, not_after: to, renew_at: present } = certificate
  const chosen =
    present >= start && present <= end ? present : start + (end - start) * Math.random()
  const at = (part: number): number => from + (to - from) * part
  return Math.min(Math.max(chosen, at(EARLIEST)), at(LATEST))
}

async function check(
  { db }: Pick<RunServices, 'db'>,
  acme: AcmeAuthority,
  due: store.DueCheck,
): Promise<void> {
  const window = await acme.renewalWindow(due.chain)
  if (window === undefined) return
  const renewAt = renewAtOf(window, due)
  await store.settleCheck.run(db, {
    workspaceId: due.workspace_id,
    domainId: due.domain_id,
    id: due.id,
    seconds: window.retryAfterSeconds,
    renewAt,
  })
}

/** May run in several processes at once. */
export async function checkRenewals(
  services: Pick<RunServices, 'db' | 'acme' | 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const { db, acme, warn } = services
  if (acme === undefined) return
  let failures = 0
  for (const due of await store.takeDueChecks.rows(db, { limit: BATCH, seconds: POLL_S })) {
    if (signal.aborted) return
    try {
      await check(services, acme, due)
    } catch (error) {
      warn('the ACME server did not return the time to renew a certificate', error)
      failures += 1
      if (failures === MAX_FAILURES) return
    }
  }
}
