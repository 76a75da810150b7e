/**
 * Daily recheck of verified and lapsed domains. Each is taken by one process at a time; domains of
 * a killed process become due again soon.
 */
import type { Task } from '../../../platform/jobs/job.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import type { DomainDirectory } from './directory.ts'
import { type Finding, findProof } from './domain-proof.ts'
import { settleDomain } from './domain-settlement.ts'
import { isTaken } from './domain-verification.ts'
import * as store from './store.ts'
import { keyOf } from '../../common/row-key.ts'
import type { Services } from '../../../context.ts'

interface RecheckServices extends Pick<Services, 'db' | 'dns'> {
  domains: DomainDirectory
}

const BATCH = 20
/** Per batch; longer than it takes even if no name server responds. */
const TAKEN_SECONDS = 300

const taken: Finding = {
  kind: 'unclear',
  error: {
    code: 'taken',
    message: 'The record is back, but another workspace has verified the domain meanwhile.',
  },
}

async function settle(
  { db, domains }: RecheckServices,
  due: store.DueDomain,
  finding: Finding,
): Promise<void> {
  await db.transaction(async (trx) => {
    const row = await store.lockDomain.first(trx, keyOf(due))
    if (row !== undefined) {
      await settleDomain(trx, { domains, origin: serviceOrigin }, row, finding)
    }
  })
}

async function recheck(services: RecheckServices, due: store.DueDomain): Promise<void> {
  const finding = await findProof(services.dns, due)
  try {
    await settle(services, due, finding)
  } catch (error) {
    if (!isTaken(error)) throw error
    await settle(services, due, taken)
  }
}

/**
 * Checks all due domains. May run in several processes at once.
 * @throws Error if some could not be checked, after all others
 */
export async function recheckDomains(
  services: RecheckServices,
  signal: AbortSignal,
): Promise<void> {
  let failure: unknown
  let more = true
  while (more && !signal.aborted) {
    const due = await store.takeDueDomains.rows(services.db, {
      limit: BATCH,
      seconds: TAKEN_SECONDS,
    })
    const checks = await Promise.allSettled(due.map((each) => recheck(services, each)))
    failure ??= checks.find((check) => check.status === 'rejected')?.reason
    more = due.length === BATCH
  }
  if (failure !== undefined)
    throw new Error('some domains could not be checked', { cause: failure })
}

export const createDomainTasks = (services: RecheckServices): Task[] => [
  {
    name: 'domains.recheck',
    everyMs: 60_000,
    run: (_payload, signal) => recheckDomains(services, signal),
  },
]
