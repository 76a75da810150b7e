/** The head of a workspace's chain, kept as proof of how long its log was. */
import type { Db } from '../../../platform/database/connect.ts'
import * as store from './store.ts'

/** @returns undefined if nothing of the workspace is chained yet */
export async function readChainHead(
  db: Db,
  workspaceId: string,
): Promise<{ seq: number; hash: Buffer } | undefined> {
  const { seq, hash } = await store.readHeadState(db, workspaceId)
  return seq === null || hash === null ? undefined : { seq, hash }
}
