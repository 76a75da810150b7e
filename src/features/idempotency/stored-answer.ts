/**
 * Acts once for each `Idempotency-Key`: the change and its answer commit together, and a repeated
 * request gets that answer again. What is stored is sealed for something that the caller shows and
 * the database doesn't hold; see docs/decisions/0010-sealed-answers.md.
 */
import { createHash } from 'node:crypto'
import type { Keyring } from '../../access/keyring.ts'
import type { Db } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import {
  type AnswerOnce,
  type AnswerSlot,
  inProgress,
  type StoredAnswer,
} from '../../http/idempotency.ts'
import * as store from './store.ts'

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Binds a sealed answer to its row, so that it opens in no other one. */
const associatedData = ({ scope, keyHash }: store.SlotHashes): string =>
  `idempotency_keys ${scope.toString('hex')} ${keyHash.toString('hex')}`

function openAnswer(
  keyring: Keyring,
  slot: AnswerSlot,
  hashes: store.SlotHashes,
  row: store.SealedAnswerRow,
): StoredAnswer {
  if (!row.fingerprint.equals(slot.fingerprint)) throw new Failure('idempotency_key_reused')
  const opened = keyring.openFor(slot.sealTo, row.sealed, associatedData(hashes))
  // Acting again would be worse than an error: the first request did what it was asked.
  if (opened === undefined) {
    throw new Failure('idempotency_key_reused', {
      detail: 'The answer to this Idempotency-Key can not be opened any more; it was acted on.',
    })
  }
  return JSON.parse(opened.toString()) as StoredAnswer
}

interface Needs {
  db: Db
  keyring: Keyring
}

/** Makes the rule that the HTTP core runs each idempotent operation through. */
export const createAnswerOnce =
  <Services extends Needs>(): AnswerOnce<Services> =>
  (services, slot, work) =>
    services.db.transaction(async (trx) => {
      const hashes = { scope: sha256(slot.scope), keyHash: sha256(slot.key) }
      const lockId = sha256(hashes.scope, hashes.keyHash).readBigInt64BE()
      if (!(await store.tryLockSlot(trx, lockId))) throw inProgress()
      // A statement of its own: it has to see what the last holder of the lock has committed.
      const found = await store.findAnswer(trx, hashes)
      if (found !== undefined) {
        return { replayed: true, answer: openAnswer(services.keyring, slot, hashes, found) }
      }
      const answer = await work({ ...services, db: trx })
      const plaintext = Buffer.from(JSON.stringify(answer))
      const sealed = services.keyring.sealFor(slot.sealTo, plaintext, associatedData(hashes))
      await store.saveAnswer(trx, hashes, { fingerprint: slot.fingerprint, sealed })
      return { replayed: false, answer }
    })

/** Deletes the answers that no longer count, in batches that hold no lock for long. */
export async function expireAnswers(db: Db): Promise<void> {
  let more = true
  while (more) more = await store.deleteExpired(db)
}
