/**
 * Builds authentication: signing keys, token issuers, and the lookup of every kind of credential.
 */
import { createTokenIssuer, type TokenIssuerOptions } from '../platform/access/jwt.ts'
import { looksLikePaymentToken } from '../platform/access/payment-token.ts'
import type { Config } from '../platform/config/config.ts'
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
import { type Issuer, SigningKeys } from '../features/identity/signing-keys/signing-key.ts'
import type { Authenticate } from '../platform/http/gate.ts'
import type { GateOptions } from '../platform/http/gate-hook.ts'
import type { Services } from '../context.ts'
import type { Warn } from './warnings.ts'

export type Auth = ReturnType<typeof createAuth>

interface AuthParts extends Pick<Services, 'feed' | 'keyring' | 'clock'> {
  database: Database
  config: Pick<Config, 'mfaRequired'>
  warn: Warn
}

export function createAuth({ config, database: db, feed, keyring, clock, warn }: AuthParts) {
  const signingKeys = new SigningKeys({
    db: db.autonomousDb,
    keyring,
    onProblem: (error) => warn('signing keys could not be read', error),
  })
  const tokensOf = (issuer: Issuer, typ: TokenIssuerOptions['typ']) =>
    createTokenIssuer({
      issuer,
      audience: `${issuer}.api`,
      typ,
      keys: () => signingKeys.keys(issuer),
      clock,
    })
  const consoleTokens = tokensOf('service.console', 'console-at+jwt')
  const moidTokens = tokensOf('service.moid', 'moid-at+jwt')
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
  const authenticate: Authenticate = ({ value }, address) => {
    if (looksLikeApiKey(value)) return keys.authenticate(value, address)
    if (looksLikeDeviceToken(value)) return deviceOf(value)
    if (looksLikePaymentToken(value)) return users.authenticatePayer(value)
    return users.authenticate(value) ?? moidOf(value)
  }
  // Among the callers of streams, only users have credentials that expire this soon.
  const presentOf: GateOptions['presentOf'] = (caller) =>
    caller.kind === 'user' ? users.presentOf(caller) : caller
  return {
    signingKeys,
    consoleTokens,
    moidTokens,
    authenticate,
    presentOf,
    /** Writes the keys' times of last use. */
    flushKeyUses: () => keys.flush(),
  }
}
