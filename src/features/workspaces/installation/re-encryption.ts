/** Encrypts stored secrets again with the current root key. */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import * as store from './re-encryption-store.ts'

export type { EncryptedColumn } from './re-encryption-store.ts'

interface Reencrypted {
  reencrypted: number
  /** Values that cannot be decrypted: they were altered, and stay as they are. */
  unreadable: number
}

const BATCH = 200

async function reencryptRow(
  trx: Transaction,
  keyring: Keyring,
  column: store.EncryptedColumn,
  row: store.EncryptedRow,
): Promise<boolean> {
  const plain = keyring.decrypt(row.sealed, column.boundTo(row))
  if (plain === undefined) return false
  await store.writeEncrypted(trx, column, row, keyring.encrypt(plain, column.boundTo(row)))
  return true
}

/** Safe to repeat, and alongside running processes; each batch is one transaction. */
export async function reencryptColumn(
  { db, keyring }: { db: Db; keyring: Keyring },
  column: store.EncryptedColumn,
  onProgress: (done: Reencrypted) => void,
): Promise<Reencrypted> {
  const done: Reencrypted = { reencrypted: 0, unreadable: 0 }
  let last: store.EncryptedRow | undefined
  for (;;) {
    const rows = await db.transaction(async (trx) => {
      const found = await store.findEncrypted(trx, column, keyring.currentRoot(), BATCH, last)
      for (const row of found) {
        const isDone = await reencryptRow(trx, keyring, column, row)
        done[isDone ? 'reencrypted' : 'unreadable'] += 1
      }
      return found
    })
    onProgress(done)
    last = rows.at(-1)
    if (rows.length < BATCH) return done
  }
}
