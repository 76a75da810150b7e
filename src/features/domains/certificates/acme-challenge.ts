/** The response to an `http-01` challenge (RFC 8555 section 8.3). */
import type { Db } from '../../../platform/database/connect.ts'
import { findProof } from './run-store.ts'

/** The format of tokens; anything else is not looked up. */
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/

/** Read from the database, so any process can respond. */
export const proofOf = ({ db }: { db: Db }, token: string): Promise<string | undefined> =>
  TOKEN.test(token) ? findProof(db, token) : Promise.resolve(undefined)
