/**
 * Writes registrations. A factory registers from many places at once, each device by a request of
 * its own: requests that wait for the database anyway are written together, in one transaction and
 * with one wait for the disk. Each still has its own device, response, audit entry and event, and
 * none is answered before they are committed.
 */
import { type Db, isGivenUp } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { MicroBatcher } from '../../../platform/lib/micro-batcher.ts'
import {
  registerByKey,
  registerOne,
  type RegisterOutcome,
  type Registration,
} from '../../devices/registry/device-registration.ts'

// A registration that waits long for a lock delays only those that share its statement.
const LIMITS = { batchSize: 64, inFlight: 2, timeoutMs: 50 }

export interface RegistrationWriter {
  /** Throws the unique violation of a conflict. */
  write(db: Db, registration: Registration): Promise<RegisterOutcome>
}

interface Piece {
  db: Db
  registration: Registration
}

/** The common values of registrations in one statement. */
const sharedBy = (row: Registration): string =>
  `${row.workspaceId} ${row.keyId} ${row.slug} ${row.approval} ${row.hasQuota}`

/** Statements that write many rows take them in one order, or two could wait for each other. */
const inOrder = (pieces: readonly Piece[]): Registration[] => {
  const named = pieces.map(({ registration }) => {
    const { hardwareId, deviceKey } = registration
    return { name: hardwareId ?? deviceKey, registration }
  })
  named.sort((a, b) => (a.name < b.name ? -1 : 1))
  return named.map(({ registration }) => registration)
}

/** @returns for each whether it is registered; undefined: it has to go alone to find out why. */
async function writeTogether(
  pieces: readonly Piece[],
): Promise<readonly (RegisterOutcome | undefined)[]> {
  const [first, ...others] = pieces
  if (first === undefined) return []
  if (others.length === 0) return [await registerOne(first.db, first.registration)]
  try {
    const registered = await registerByKey(first.db, inOrder(pieces))
    return pieces.map(({ registration }) =>
      registered.has(registration.id) ? 'registered' : undefined,
    )
  } catch (error) {
    // Away: then it may have happened, and nobody may try it once more.
    if (error instanceof Failure && !isGivenUp(error)) throw error
    // A row that the database refuses, or waits for in vain, fails the whole statement.
    return pieces.map(() => undefined)
  }
}

export function createRegistrationWriter(): RegistrationWriter {
  const gathered = new MicroBatcher(writeTogether, LIMITS)
  return {
    async write(db, registration) {
      // A transaction is its owner's alone, and so is the place of an Idempotency-Key.
      const isApart = 'inTransaction' in db || registration.response !== undefined
      if (isApart) return registerOne(db, registration)
      const outcome = await gathered.run(sharedBy(registration), { db, registration })
      return outcome ?? registerOne(db, registration)
    },
  }
}
