/**
 * Builds authentication: signing keys, token issuers, and the lookup of every kind of credential.
 */
import { createTokenIssuer } from '../platform/access/jwt.ts'
import type { Keyring } from '../platform/access/keyring.ts'
import { looksLikePaymentToken } from '../platform/access/payment-token.ts'
import type { Config } from '../platform/config/config.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import {
  createKeyAuthentication,
  looksLikeApiKey,
} from '../features/team/api-keys/api-key-authentication.ts'
import {
  createDeviceAuthentication,
  looksLikeDeviceToken,
} from '../features/devices/device-api/device-authentication.ts'
import { createMoidAuthentication } from '../features/mobile/identities/moid-authentication.ts'
import { createUserAuthentication } from '../features/identity/sessions/user-authentication.ts'
import { SigningKeys } from '../features/identity/signing-keys/signing-key.ts'
import type { Authenticate } from '../platform/http/gate.ts'
import type { GateOptions } from '../platform/http/gate-hook.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Services } from '../context.ts'

export interface Auth extends Pick<Services, 'consoleTokens' | 'moidTokens'> {
  signingKeys: SigningKeys
  authenticate: Authenticate
  presentOf: GateOptions['presentOf']
  /** Writes the keys' times of last use. */
  flushKeyUses: () => Promise<void>
}

export function createAuth(parts: {
  database: Database
  feed: ChangeFeed
  keyring: Keyring
  clock: Clock
  config: Pick<Config, 'mfaRequired'>
  warn: (message: string, error: unknown) => void
}): Auth {
  const { config, database: db, feed, keyring, clock, warn } = parts
  const signingKeys = new SigningKeys({
    db: db.autonomousDb,
    keyring,
    onProblem: (error) => warn('signing keys could not be read', error),
  })
  const consoleTokens = createTokenIssuer({
    issuer: 'service.console',
    audience: 'service.console.api',
    typ: 'console-at+jwt',
    keys: () => signingKeys.keys('service.console'),
    clock,
  })
  const moidTokens = createTokenIssuer({
    issuer: 'service.moid',
    audience: 'service.moid.api',
    typ: 'moid-at+jwt',
    keys: () => signingKeys.keys('service.moid'),
    clock,
  })
  const keys = createKeyAuthentication({ db, keyring, feed, clock })
  const users = createUserAuthentication({
    clock,
    db,
    keyring,
    feed,
    tokens: consoleTokens,
    signingKeys,
    mfaRequired: config.mfaRequired === 'on',
  })
  const moidOf = createMoidAuthentication({ db, feed, tokens: moidTokens, signingKeys })
  const deviceOf = createDeviceAuthentication({ db, keyring, feed })
  return {
    signingKeys,
    consoleTokens,
    moidTokens,
    authenticate({ value }, address) {
      if (looksLikeApiKey(value)) return keys.authenticate(value, address)
      if (looksLikeDeviceToken(value)) return deviceOf(value)
      if (looksLikePaymentToken(value)) return users.authenticatePayer(value)
      return users.authenticate(value) ?? moidOf(value)
    },
    // Of the callers of streams, only users have credentials that expire this soon.
    presentOf: (caller) => (caller.kind === 'user' ? users.presentOf(caller) : caller),
    flushKeyUses: () => keys.flush(),
  }
}
