/** Operations by which a person lets a program on their computer sign in. */
import { operation } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { TokenResponse } from '../../common/session-tokens.ts'
import { createAuthorizationCode, exchangeAuthorizationCode } from './authorization-code.ts'
import { AuthorizationCode, CreateAuthorizationCode, ExchangeAuthorizationCode } from './schema.ts'

/** From appendix B of RFC 7636. */
const example = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
}

export const authorizationCodeOperations = [
  operation({
    id: 'createAuthorizationCode',
    base: CONSOLE_BASE,
    route: 'POST /authorization-codes',
    tag: 'Sign-in',
    access: ['user'],
    needsFreshProof: true,
    bucket: 'auth',
    // A stored response would keep the code beyond its time.
    idempotency: 'own',
    body: CreateAuthorizationCode,
    returns: { 201: AuthorizationCode },
    example: { code_challenge: example.code_challenge },
    run: (context, { body }) => createAuthorizationCode(context, body),
  }),
  operation({
    id: 'exchangeAuthorizationCode',
    route: 'POST /auth/authorization-codes/exchange',
    summary: 'Sign in with a code of the console',
    tag: 'Sign-in',
    description:
      'Opens a session for a program on the computer of a person who has allowed it in the console, at `/console/cli`. A code is valid for one minute, one session, and only with the `code_verifier` to whose SHA-256 it was issued (RFC 7636). The session has the second factor that was proved in the console. After a lost response, start again.',
    access: 'public',
    bucket: 'auth',
    // A repetition must not find the tokens.
    idempotency: 'own',
    body: ExchangeAuthorizationCode,
    returns: { 200: TokenResponse },
    fails: ['authorization_code_rejected'],
    example: { code: 'ac_…', code_verifier: example.code_verifier },
    run: (context, { body }) => exchangeAuthorizationCode(context, body),
  }),
]
