/**
 * Only who knows the newest root key signs heads: one that was signed with an earlier key would be
 * taken for forged once that is retired.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Transaction } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { readNewestRoot } from './chain-store.ts'

/**
 * Call it while the chain is locked.
 * @throws Failure unavailable, in a process that has not learned of the newest root key yet
 */
export async function requireNewestRoot(trx: Transaction, keyring: Keyring): Promise<void> {
  if ((await readNewestRoot.one(trx)).number <= keyring.currentRoot()) return
  const cause = new Error('a root key was added that this process has not learned of yet')
  throw new Failure('unavailable', { cause })
}
