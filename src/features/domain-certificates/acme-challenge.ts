/** What an authority that looks for the proof of `http-01` is given (RFC 8555 section 8.3). */
import type { Db } from '../../database/connect.ts'
import { findProof } from './run-store.ts'

/** What tokens are made of; anything else is not looked for. */
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/

/** From the database, so that it does not matter which process is asked. */
export const proofOf = ({ db }: { db: Db }, token: string): Promise<string | undefined> =>
  TOKEN.test(token) ? findProof(db, token) : Promise.resolve(undefined)
