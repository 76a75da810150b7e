/**
 * Acts once per `Idempotency-Key`: the change and its response commit together, and a retry gets
 * that response. Responses are encrypted with a secret that the caller sends and the database does
 * not contain; see docs/decisions/0010-encrypted-responses.md.
 */
import { createHash } from 'node:crypto'
import type { Keyring } from '../access/keyring.ts'
import type { Db } from '../database/connect.ts'
import { exhaust } from '../database/sql.ts'
import { Failure, undecryptableResponse } from '../errors/errors.ts'
import {
  type RunIdempotent,
  type IdempotencySlot,
  inProgress,
  StoredResponse,
} from '../http/idempotency.ts'
import { readStored } from '../lib/stored-json.ts'
import * as store from './store.ts'

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Associated data that binds a response to its row. */
const associatedData = ({ scope, keyHash }: store.SlotHashes): string =>
  `idempotency_keys ${scope.toString('hex')} ${keyHash.toString('hex')}`

function decryptResponse(
  keyring: Keyring,
  slot: IdempotencySlot<never>,
  hashes: store.SlotHashes,
  row: store.StoredResponseRow,
): StoredResponse {
  if (!row.fingerprint.equals(slot.fingerprint)) throw new Failure('idempotency_key_reused')
  const decrypted = keyring.decryptFor(slot.encryptTo, row.sealed, associatedData(hashes))
  // Acting again would be worse than an error: the first request has taken effect.
  if (decrypted === undefined) throw undecryptableResponse()
  return readStored(StoredResponse, JSON.parse(decrypted.toString()))
}

const inUse = (): Failure =>
  new Failure('idempotency_key_reused', {
    detail:
      'The response to this Idempotency-Key contained credentials that are in use now and are not returned again. The request took effect. Reset or rotate the credentials to get new ones.',
  })

interface Needs {
  db: Db
  keyring: Keyring
}

/** Creates the function through which the HTTP core runs idempotent operations. */
export const createRunIdempotent =
  <Services extends Needs>(): RunIdempotent<Services> =>
  (services, slot, work) =>
    services.db.transaction(async (trx) => {
      const hashes = { scope: sha256(slot.scope), keyHash: sha256(slot.key) }
      const key = sha256(hashes.scope, hashes.keyHash).readBigInt64BE().toString()
      if (!(await store.lockSlot.any(trx, { key }))) throw inProgress()
      // A separate statement, which sees what the last holder of the lock has committed.
      const found = await store.findStoredResponse.first(trx, hashes)
      if (found !== undefined) {
        const response = decryptResponse(services.keyring, slot, hashes, found)
        const { mayRepeat } = slot
        if (mayRepeat && !(await mayRepeat({ ...services, db: trx }, JSON.parse(response.body)))) {
          throw inUse()
        }
        return { replayed: true, response }
      }
      const response = await work({ ...services, db: trx })
      const plaintext = Buffer.from(JSON.stringify(response))
      const sealed = services.keyring.encryptFor(slot.encryptTo, plaintext, associatedData(hashes))
      await store.saveResponse.run(trx, { ...hashes, fingerprint: slot.fingerprint, sealed })
      return { replayed: false, response }
    })

/** Deletes expired responses in batches that hold locks briefly. */
export const expireStoredResponses = (db: Db): Promise<void> =>
  exhaust(store.deleteExpired, db, { limit: 5_000 })
