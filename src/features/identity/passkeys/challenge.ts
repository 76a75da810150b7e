/**
 * Challenges for passkeys. A challenge names its end and is signed by the service, for a purpose
 * and a session, so that anyone may ask for one and nothing is stored. Its use is stored, so that
 * it works once.
 */
import { randomBytes } from 'node:crypto'
import { challengeOf } from '../../../platform/access/webauthn.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

/** A person may have to find a security key. */
export const CHALLENGE_SECONDS = 300

const NONCE_BYTES = 16
const TIME_BYTES = 6
const OPEN_BYTES = NONCE_BYTES + TIME_BYTES

/** Its purpose; within a session only in that session. */
export type ChallengeUse =
  | { purpose: 'sign-in' }
  | { purpose: 'registration' | 'proof'; sessionId: string }

type ChallengeServices = Pick<Services, 'keyring' | 'clock'>

const LABEL = 'passkey-challenge'
const partsOf = (use: ChallengeUse, open: Buffer) =>
  [use.purpose, 'sessionId' in use ? use.sessionId : '', open] as const

export function issueChallenge(services: ChallengeServices, use: ChallengeUse): string {
  const open = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(TIME_BYTES)])
  open.writeUIntBE(services.clock.now() + CHALLENGE_SECONDS * 1000, NONCE_BYTES, TIME_BYTES)
  return Buffer.concat([open, services.keyring.currentMac(LABEL, ...partsOf(use, open))]).toString(
    'base64url',
  )
}

export interface ReadChallenge {
  text: string
  bytes: Buffer
  expiresAt: number
}

/**
 * The challenge that was answered.
 * @returns undefined if it is not ours, was issued for another use, or has expired
 */
export function readChallenge(
  services: ChallengeServices,
  use: ChallengeUse,
  answer: { client_data: string },
): ReadChallenge | undefined {
  const text = challengeOf(answer)
  const bytes = Buffer.from(text ?? '', 'base64url')
  if (text === undefined || bytes.length <= OPEN_BYTES) return undefined
  const open = bytes.subarray(0, OPEN_BYTES)
  const mac = bytes.subarray(OPEN_BYTES)
  if (!services.keyring.isAccepted('session', mac, LABEL, ...partsOf(use, open))) return undefined
  const expiresAt = open.readUIntBE(NONCE_BYTES, TIME_BYTES)
  return expiresAt <= services.clock.now() ? undefined : { text, bytes, expiresAt }
}

/** @returns whether it was unused; true for one of concurrent calls */
export const useChallenge = (
  trx: Transaction,
  { bytes, expiresAt }: ReadChallenge,
): Promise<boolean> => store.useChallenge.any(trx, { challenge: bytes, expiresAt })

/** Deletes those that nobody can use any more. */
export const deleteOldChallenges = (db: Db): Promise<void> => store.deleteOldChallenges.run(db)
