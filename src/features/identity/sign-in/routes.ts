/** Operations for signing in and for one's own account. */
import { operationGroup } from '../../../context.ts'
import { respond } from '../../../platform/http/reply.ts'
import { AccessTokenResponse } from '../../common/access-token.ts'
import { TokenResponse } from '../../common/session-tokens.ts'
import { EndedSessions } from '../../common/ended-sessions.ts'
import { logIn, refresh, verifyMfa } from './login.ts'
import { changePassword, getMe, updateMe } from './me.ts'
import { reauthenticate } from './reauthentication.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Sign-in', access: ['user'] })

const exampleTotp = '492039'

/**
 * Verifying a password is slow, queued, and counted on separate connections: none of it may happen
 * inside the transaction that storing a response requires. Retrying is harmless.
 */
const notStored = 'own'

export const authOperations = [
  operation({
    id: 'login',
    route: 'POST /auth/login',
    summary: 'Sign in',
    description:
      'Opens a session. An account with a second factor gets an `mfa_token` instead, for POST /auth/mfa/verify. If the service generated the password, the user must change it first: `password_change_required`. The response for an unknown address is the same as for a wrong password. After ten consecutive failures each further attempt from the same address must wait, for an hour at most. While many addresses try passwords for one account, `too_many_attempts` with the limit `failed_attempts_of_account` requires a `code` as well, except on a device that sends its `known_device_token`. Signing in again after a lost response is harmless: it opens another session, and the first one can be ended.',
    access: 'public',
    bucket: 'auth',
    limitedBy: 'rule',
    body: schema.Login,
    returns: { 200: schema.LoginResponse },
    fails: ['invalid_credentials', 'initial_password_expired', 'too_many_attempts'],
    idempotency: notStored,
    example: { email: 'owner@example.com', password: 'correct horse battery staple' },
    run: (context, { body }) => logIn(context, body),
  }),
  operation({
    id: 'verifyMfa',
    route: 'POST /auth/mfa/verify',
    summary: 'Sign in with a second factor',
    description:
      'Takes an authenticator code or a recovery code. Each works once. An `mfa_token` is valid for five minutes, five attempts and one session: after a lost response, start again with POST /auth/login.',
    access: 'public',
    bucket: 'auth',
    limitedBy: 'rule',
    body: schema.VerifyMfa,
    returns: { 200: TokenResponse },
    fails: ['mfa_code_rejected', 'too_many_attempts'],
    idempotency: notStored,
    example: { mfa_token: 'mfa_…', code: exampleTotp },
    run: (context, { body }) => verifyMfa(context, body),
  }),
  operation({
    id: 'refreshSession',
    route: 'POST /auth/refresh',
    summary: 'Refresh a session',
    description:
      'Each refresh token works once. If the response was lost, the same token returns the same successor again for 30 seconds, while the successor is unused. Use of an older token ends the session, because two parties hold it.',
    access: 'public',
    bucket: 'auth',
    limitedBy: 'rule',
    body: schema.Refresh,
    returns: { 200: TokenResponse },
    fails: ['refresh_token_rejected', 'refresh_token_reused'],
    // A refused token may end the session, which must not be rolled back with the response.
    idempotency: 'own',
    example: { refresh_token: 'rt_…' },
    run: (context, { body }) => refresh(context, body.refresh_token),
  }),
  operation({
    id: 'reauthenticate',
    route: 'POST /auth/reauthenticate',
    summary: 'Prove the password or a second factor again',
    description:
      'Some operations require a recent proof, which is valid for ten minutes. Send the `password`, or a `code` from the authenticator, or a recovery code; an account with an authenticator must send a `code`. Returns an access token that carries the time of the proof. The session, its refresh token and its other access tokens do not change.',
    bucket: 'auth',
    body: schema.Reauthenticate,
    returns: { 200: AccessTokenResponse },
    fails: [
      'invalid_credentials',
      'initial_password_expired',
      'mfa_code_rejected',
      'mfa_not_enrolled',
      'too_many_attempts',
    ],
    idempotency: notStored,
    example: { password: 'correct horse battery staple' },
    run: (context, { body }) => reauthenticate(context, body),
  }),
  operation({
    id: 'getMe',
    route: 'GET /auth/me',
    summary: "Get the calling user's account",
    returns: { 200: schema.Me },
    run: (context) => getMe(context),
  }),
  operation({
    id: 'updateMe',
    route: 'PATCH /auth/me',
    summary: "Change the calling user's account",
    body: schema.UpdateMe,
    returns: { 200: schema.Me },
    fails: ['precondition_failed'],
    example: { name: 'Ada Lovelace' },
    run: (context, { body }) => updateMe(context, body),
  }),
  operation({
    id: 'changePassword',
    route: 'POST /auth/password',
    summary: "Change the calling user's password",
    description:
      'Requires the current password. Ends all other sessions unless `end_other_sessions` is false. If that member is present, the response contains the number of ended sessions. The account is notified by e-mail. If the response was lost and the call had succeeded, a second call is refused with `invalid_credentials`, because the password has changed.',
    bucket: 'auth',
    body: schema.ChangePassword,
    returns: { 200: EndedSessions, 204: null },
    fails: ['invalid_credentials', 'initial_password_expired', 'too_many_attempts'],
    idempotency: notStored,
    example: {
      current_password: 'correct horse battery staple',
      new_password: 'a different horse entirely',
    },
    async run(context, { body }) {
      const sessions_ended = await changePassword(context, body)
      if (body.end_other_sessions === undefined) return respond(204, null)
      return respond(200, { sessions_ended })
    },
  }),
]
