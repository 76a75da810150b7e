/**
 * Re-checks the CONNECTs of external brokers a few seconds after they were accepted. A broker may
 * take a while to start the session: if rights are revoked in between, it lists no session that
 * could be ended, and would start one later. So each grant is compared with the current rights.
 */
import { keepsAll } from '../../../adapters/broker/rule-loss.ts'
import type { Grant } from '../../../adapters/broker/port.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import { grantOf } from '../credentials/credential.ts'
import { readIdentity } from '../credentials/identity.ts'
import { openReceiptAt } from '../revocation/receipt-issue.ts'
import type { SessionSubscriber } from './session-events.ts'
import type { LiveSession } from './session-registry.ts'
import type { Services } from '../../../context.ts'

export interface DelayedRecheckServices extends Pick<Services, 'db' | 'feed'> {
  authority: Pick<CredentialAuthority, 'isUnchanged' | 'load' | 'refusalOf'>
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

export class DelayedRecheck implements SessionSubscriber {
  readonly #services: DelayedRecheckServices
  readonly #waitMs: number
  /** In the order in which they were accepted. */
  #waiting: Admission[] = []

  constructor(services: DelayedRecheckServices, waitMs = WAIT_MS) {
    this.#services = services
    this.#waitMs = waitMs
  }

  admitted({ session: { grant } }: Pick<LiveSession, 'session'>, broker: string): void {
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
    const { db, feed, authority } = this.#services
    const identity = readIdentity(grant.principalId)
    const workspaceId = parseId('ws', grant.workspaceId)
    if (identity === undefined || workspaceId === undefined) return
    const credential = await authority.load(identity)
    const isIn =
      credential !== undefined && (await authority.refusalOf({ grant }, credential)) === undefined
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
