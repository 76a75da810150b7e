/**
 * The job that completes a certificate order. A run performs some steps, stores each in the order's
 * row, and enqueues its continuation, so another process can take over. A run that was suspended in
 * between finds that it lost its turn and writes nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AcmeRefused } from '../../../adapters/acme/port.ts'
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { CertificateRefused, checkCertificate } from '../../../adapters/tls/certificate.ts'
import { accountOf, deleteRegistration } from './acme-account.ts'
import { type AcmeServices, scheduleRun, recordNameOf } from './acme-order.ts'
import { factsOf, install, lockVerified, resourceOf } from './certificate.ts'
import { type OrderContext, nextStep, NOT_PROVEN, privateKeyOf } from './order-steps.ts'
import { keyOf } from '../../common/row-key.ts'
import * as store from './store.ts'

export type RunServices = Pick<Services, 'db' | 'keyring' | 'feed' | 'clock' | 'nodeId'> &
  AcmeServices & { warn: (message: string, error: unknown) => void }

/** Retry delay while another run is active. */
const BUSY_MS = 5_000
/** Polls per run, and the pause between them; a run occupies one of few workers. */
const POLLS_PER_RUN = 6
const POLL_MS = 400
const LONGEST_POLL_S = 60
const MAX_FAILURES = 12
const MAX_REFUSALS = 2
const RESTART_AFTER_S = 4
const LONGEST_PAUSE_S = 3_600
/** Fraction of its lifetime after which a certificate is renewed, with jitter. */
const RENEWED_AFTER = 2 / 3
const RENEWAL_SPREAD = 0.02

/** Refusals that may not repeat. */
const TEMPORARY = new Set([
  'badNonce',
  'rateLimited',
  'serverInternal',
  'accountDoesNotExist',
  'orderNotReady',
])

/** Another run has taken over, or the order has ended. */
class TurnLost extends Error {}

const isFinal = (error: unknown): boolean =>
  error instanceof CertificateRefused ||
  (error instanceof Failure && error.status < 500) ||
  (error instanceof AcmeRefused && !TEMPORARY.has(error.type))

function describeError(error: unknown): string {
  if (error instanceof AcmeRefused || error instanceof Failure) return error.message
  if (error instanceof CertificateRefused) return `The issued certificate ${error.message}.`
  return 'The ACME server could not be reached, or sent an unexpected response.'
}

/**
 * An `http-01` order is placed again, as the proof may just have been unreachable; not often, since
 * authorities limit failures. A manual DNS record needs a person first.
 */
const canBeOrderedAgain = ({ challenge, refusals }: store.TakenOrder, error: unknown): boolean =>
  error instanceof AcmeRefused &&
  error.type === NOT_PROVEN &&
  challenge === 'http-01' &&
  refusals < MAX_REFUSALS

/** Exponential backoff with up to 50 % jitter either way. */
const pauseOf = (failures: number): number =>
  Math.min(2 ** (failures - 1), LONGEST_PAUSE_S) * (0.5 + Math.random())

const dataOf = (order: store.TakenOrder) => ({
  domain_id: formatId('dom', order.domain_id),
  domain: order.name,
  challenge: order.challenge,
})

class Turn {
  readonly #services: RunServices
  #order: store.TakenOrder

  constructor(services: RunServices, order: store.TakenOrder) {
    this.#services = services
    this.#order = order
  }

  async run(signal: AbortSignal): Promise<void> {
    // The statement that records a failure also writes the order, and detects there that its turn
    // is lost.
    try {
      await this.#advance(signal).catch((error: unknown) => {
        if (error instanceof TurnLost) throw error
        return this.#fail(error)
      })
    } catch (error) {
      if (!(error instanceof TurnLost)) throw error
    }
  }

  async #advance(signal: AbortSignal): Promise<void> {
    const context = await this.#context()
    let checks = 0
    for (;;) {
      if (this.#order.is_over) throw new AcmeRefused('expired', 'The order took too long.')
      const { change, next } = await nextStep(context, this.#order)
      if (next === 'install') return this.#install(context)
      if (next === 'wait') return this.#waitForRecord(change)
      if (next === 'continue') {
        await this.#write(this.#services.db, { ...change, looks: 0, failures: 0 }, 0, true)
        continue
      }
      checks += 1
      this.#order.looks += 1
      if (checks >= POLLS_PER_RUN || signal.aborted) return this.#checkLater()
      await sleep(POLL_MS * checks)
    }
  }

  async #context(): Promise<OrderContext> {
    const { acme, keyring } = this.#services
    if (acme === undefined) throw new Failure('acme_off')
    return { acme, keyring, account: await accountOf(this.#services, acme) }
  }

  async #write(
    db: Db,
    change: Partial<store.TakenOrder>,
    wait: number | null,
    keep = false,
  ): Promise<void> {
    const order = { ...this.#order, ...change }
    const written = await store.writeOrder.first(db, {
      ...order,
      ...keyOf(order),
      encryptedKey: order.sealed_key,
      seconds: wait,
      isTurnKept: keep,
    })
    if (written === undefined) throw new TurnLost()
    this.#order = { ...written, turn: this.#order.turn }
  }

  #checkLater(): Promise<void> {
    return this.#pause({ failures: 0 }, Math.min(this.#order.looks, LONGEST_POLL_S))
  }

  #waitForRecord(change: Partial<store.TakenOrder>): Promise<void> {
    return this.#services.db.transaction(async (trx) => {
      await this.#write(trx, { ...change, failures: 0, problem: null }, null)
      const order = this.#order
      await record(trx, serviceOrigin, {
        workspaceId: order.workspace_id,
        action: 'certificate.challenge_waiting',
        resource: resourceOf(order.domain_id),
        data: {
          ...dataOf(order),
          is_renewal: order.is_renewal,
          record: { type: 'TXT', name: recordNameOf(order.name), value: order.proof },
        },
      })
    })
  }

  async #install(context: OrderContext): Promise<void> {
    const { db, clock } = this.#services
    const order = this.#order
    const { workspace_id: workspaceId, domain_id: domainId, challenge } = order
    const chainPem = await context.acme.download(context.account, order.url ?? '')
    const given = { chainPem, keyPem: privateKeyOf(context, order) }
    const requirements = { host: order.name, now: clock.now(), complete: false }
    const checked = checkCertificate(given, requirements)
    const { notBefore, notAfter } = checked.facts
    const part = RENEWED_AFTER + RENEWAL_SPREAD * Math.random()
    const renewAt = notBefore + (notAfter - notBefore) * part
    await db.transaction(async (trx) => {
      const domain = await lockVerified(trx, workspaceId, domainId)
      const end = { status: 'issued', token: null, sealed_key: null, problem: null } as const
      await this.#write(trx, end, null)
      const kind = { source: 'acme', challenge, renewAt } as const
      const row = await install(this.#services, trx, { workspaceId, domainId }, checked, kind)
      await record(trx, serviceOrigin, {
        workspaceId,
        action: order.is_renewal ? 'certificate.renewed' : 'certificate.issued',
        resource: resourceOf(domainId),
        data: factsOf(domain, row),
      })
    })
  }

  async #fail(error: unknown): Promise<void> {
    const { db, acme, warn } = this.#services
    const failures = this.#order.failures + 1
    const problem = describeError(error)
    if (canBeOrderedAgain(this.#order, error)) return this.#orderAgain(problem)
    if (isFinal(error) || failures >= MAX_FAILURES) return this.#end(problem)
    warn('an order of a certificate is tried again later', error)
    const isUnknown = error instanceof AcmeRefused && error.type === 'accountDoesNotExist'
    if (isUnknown && acme !== undefined) await deleteRegistration(db, acme)
    await this.#pause({ failures, problem }, pauseOf(failures))
  }

  #orderAgain(problem: string): Promise<void> {
    const refusals = this.#order.refusals + 1
    const restarted = { status: 'ordering', url: null, token: null, proof: null } as const
    const seconds = RESTART_AFTER_S * 4 ** (refusals - 1) * (0.5 + Math.random())
    return this.#pause({ ...restarted, looks: 0, failures: 0, refusals, problem }, seconds)
  }

  #pause(change: Partial<store.TakenOrder>, seconds: number): Promise<void> {
    const { db, clock } = this.#services
    return db.transaction(async (trx) => {
      await this.#write(trx, change, seconds)
      await scheduleRun(trx, this.#order, clock.now() + seconds * 1_000)
    })
  }

  #end(problem: string): Promise<void> {
    const end = { status: 'failed', problem, token: null, sealed_key: null } as const
    return this.#services.db.transaction(async (trx) => {
      await this.#write(trx, end, null)
      const order = this.#order
      const { workspace_id: workspaceId, domain_id: domainId } = order
      if (order.is_renewal) await store.postponeRenewal.run(trx, { workspaceId, domainId })
      await record(trx, serviceOrigin, {
        workspaceId,
        action: order.is_renewal ? 'certificate.renewal_failed' : 'certificate.issuance_failed',
        resource: resourceOf(domainId),
        data: { ...dataOf(order), problem },
      })
    })
  }
}

export async function runOrder(
  services: RunServices,
  key: { workspace_id: string; id: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, nodeId: node, clock } = services
  const order = await store.takeOrder.first(db, { ...keyOf(key), node, turn: newUuid() })
  if (order !== undefined) return new Turn(services, order).run(signal)
  if (await store.isOrderDue.any(db, keyOf(key))) await scheduleRun(db, key, clock.now() + BUSY_MS)
}
