/**
 * Re-checks the CONNECTs of external brokers a few seconds after they were accepted. A broker may
 * take a while to start the session: if rights are revoked in between, it lists no session that
 * could be ended, and would start one later. So each grant is compared with the current rights.
 */
import { keepsAll } from '../../../adapters/broker/rule-loss.ts'
import type { Grant } from '../../../adapters/broker/port.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import { grantOf, stillAdmitted } from '../credentials/credential.ts'
import { readIdentity } from '../credentials/identity.ts'
import { openReceiptAt } from '../revocation/receipt-issue.ts'
import type { Services } from '../../../context.ts'

export interface DelayedRecheckServices extends Pick<Services, 'db' | 'feed' | 'clock'> {
  authority: Pick<CredentialAuthority, 'isUnchanged' | 'load'>
  /** Names of the external brokers on which sessions can be ended. */
  externalBrokers: () => readonly string[]
}

interface Admission {
  grant: Grant
  broker: string
  /** By `performance.now()`. */
  at: number
}

/** Longer than a cached credential may be outdated, and than brokers wait for a decision. */
const WAIT_MS = 5_000

export class DelayedRecheck {
  readonly #services: DelayedRecheckServices
  readonly #waitMs: number
  /** In the order in which they were accepted. */
  #waiting: Admission[] = []

  constructor(services: DelayedRecheckServices, waitMs = WAIT_MS) {
    this.#services = services
    this.#waitMs = waitMs
  }

  add(grant: Grant, broker: string): void {
    if (!this.#services.externalBrokers().includes(broker)) return
    this.#waiting.push({ grant, broker, at: performance.now() })
  }

  /** Ends sessions that were accepted with more rights than they have; failures are retried. */
  async check(): Promise<void> {
    const now = performance.now()
    const first = this.#waiting.findIndex(({ at }) => now - at < this.#waitMs)
    const due = this.#waiting.splice(0, first < 0 ? this.#waiting.length : first)
    for (const [index, admission] of due.entries()) {
      if (this.#isUnchanged(admission)) continue
      try {
        await this.#compare(admission)
      } catch (error) {
        this.#waiting = [...due.slice(index), ...this.#waiting]
        throw error
      }
    }
  }

  /** A feed that cannot be read reports no change, whatever happened. */
  #isUnchanged({ grant }: Admission): boolean {
    const { feed, authority } = this.#services
    return feed.isFresh() && authority.isUnchanged(grant)
  }

  async #compare({ grant, broker }: Admission): Promise<void> {
    const { db, feed, clock, authority } = this.#services
    const identity = readIdentity(grant.principalId)
    const workspaceId = parseId('ws', grant.workspaceId)
    if (identity === undefined || workspaceId === undefined) return
    const credential = await authority.load(identity)
    const session = { grant, incarnation: Number.POSITIVE_INFINITY }
    const isIn = credential !== undefined && stillAdmitted(credential, session, clock.now())
    if (isIn) {
      const { rules } = grantOf(credential, grant.credentialVersion)
      if (keepsAll(grant.rules, rules)) return
    }
    await db.transaction((trx) =>
      openReceiptAt([broker], feed, trx, {
        workspaceId,
        reason: 'admitted_late',
        subject: grant.principalId,
        ...(isIn && { narrowed: {} }),
      }),
    )
  }
}
