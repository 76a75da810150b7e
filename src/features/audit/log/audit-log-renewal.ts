/** Signs the heads and starts of all chains with the current root key, when it is a new one. */
import type { Keyring } from '../../../platform/access/keyring.ts'
import { NIL_UUID } from '../../../platform/lib/ids.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { isOurHead, macOfStart, signHead, startHash } from './audit-log-chain.ts'
import { requireNewestRoot } from './newest-root.ts'
import * as store from './chain-store.ts'

const BATCH = 500

export interface Renewed {
  chains: number
  /** The number of chains with a forged head or start; they stay unchanged, as evidence. */
  broken: number
}

async function renewChain(
  trx: Transaction,
  keyring: Keyring,
  chain: store.WholeChain,
): Promise<boolean> {
  if (!isOurHead(keyring, chain) || startHash(keyring, chain) === undefined) return false
  const head = signHead(keyring, chain).mac
  const start = chain.pruned_seq === 0 ? null : macOfStart(keyring, chain)
  if (!chain.mac.equals(head) || (start !== null && chain.pruned_mac?.equals(start) !== true)) {
    await store.updateMacs.run(trx, {
      workspaceId: chain.workspace_id,
      mac: head,
      prunedMac: start,
    })
  }
  return true
}

/** Safe to repeat, and alongside running processes. */
export async function renewChains(
  { db, keyring }: { db: Db; keyring: Keyring },
  onProgress: (renewed: Renewed) => void,
): Promise<Renewed> {
  const renewed: Renewed = { chains: 0, broken: 0 }
  let from = NIL_UUID
  for (;;) {
    const chains = await db.transaction(async (trx) => {
      const found = await store.lockChainsFrom.rows(trx, { workspaceId: from, limit: BATCH + 1 })
      await requireNewestRoot(trx, keyring)
      for (const chain of found.slice(0, BATCH)) {
        const isOurs = await renewChain(trx, keyring, chain)
        renewed[isOurs ? 'chains' : 'broken'] += 1
      }
      return found
    })
    onProgress(renewed)
    const next = chains[BATCH]
    if (next === undefined) return renewed
    from = next.workspace_id
  }
}
