/** Operations on one's own authenticator and recovery codes. */
import { operationGroup } from '../../../context.ts'
import { respond } from '../../../platform/http/reply.ts'
import { EndedSessions } from '../../common/ended-sessions.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  removeEnrolment,
  renewRecoveryCodes,
} from './enrolment.ts'
import { ProveCode, RecoveryCodes, TotpEnrolment } from './schema.ts'

const operation = operationGroup({ tag: 'Sign-in', access: ['user'] })

const example = { code: '492039' }

export const secondFactorOperations = [
  operation({
    id: 'beginTotp',
    route: 'POST /auth/mfa/totp',
    summary: 'Enrol an authenticator',
    description:
      'Returns the secret for the authenticator app. Signing in does not require it until a code has been confirmed.',
    needsFreshProof: true,
    returns: { 200: TotpEnrolment },
    fails: ['mfa_already_enrolled', 'mfa_required', 'permission_denied'],
    run: (context) => beginEnrolment(context),
  }),
  operation({
    id: 'confirmTotp',
    route: 'POST /auth/mfa/totp/confirm',
    summary: 'Confirm an authenticator',
    description:
      'Returns the recovery codes. They are returned only once. Ends the other sessions of the account, unless `end_other_sessions` is false. The account is notified by e-mail.',
    needsFreshProof: true,
    bucket: 'auth',
    body: ProveCode,
    returns: { 200: RecoveryCodes },
    fails: [
      'mfa_not_enrolled',
      'mfa_already_enrolled',
      'mfa_required',
      'mfa_code_rejected',
      'too_many_attempts',
      'permission_denied',
    ],
    example,
    run: (context, { body }) => confirmEnrolment(context, body),
  }),
  operation({
    id: 'removeTotp',
    route: 'DELETE /auth/mfa/totp',
    summary: 'Remove an authenticator',
    description:
      'Requires an authenticator code or a recovery code. The recovery codes are deleted with the authenticator. Ends the other sessions of the account, unless `end_other_sessions` is false. The account is notified by e-mail. If that member is present, the response contains the number of ended sessions.',
    bucket: 'auth',
    body: ProveCode,
    returns: { 200: EndedSessions, 204: null },
    fails: ['mfa_not_enrolled', 'mfa_code_rejected', 'too_many_attempts', 'permission_denied'],
    example,
    async run(context, { body }) {
      const ended = await removeEnrolment(context, body)
      return body.end_other_sessions === undefined ? respond(204, null) : respond(200, ended)
    },
  }),
  operation({
    id: 'renewRecoveryCodes',
    route: 'POST /auth/mfa/recovery-codes',
    summary: 'Replace the recovery codes',
    description:
      'The old codes become invalid. The new codes are returned only once. Ends the other sessions of the account, unless `end_other_sessions` is false. The account is notified by e-mail.',
    bucket: 'auth',
    body: ProveCode,
    returns: { 200: RecoveryCodes },
    fails: ['mfa_not_enrolled', 'mfa_code_rejected', 'too_many_attempts', 'permission_denied'],
    example,
    run: (context, { body }) => renewRecoveryCodes(context, body),
  }),
]
