/** Operations on one's own authenticator and recovery codes. */
import { operation, originOf } from '../../context.ts'
import { answer } from '../../http/operation.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  removeEnrolment,
  renewRecoveryCodes,
} from './enrolment.ts'
import { ProveCode, RecoveryCodes, TotpEnrolment } from './schema.ts'

const access = ['user'] as const
const tag = 'Sign-in'
const example = { code: '492039' }

export const secondFactorOperations = [
  operation({
    id: 'beginTotp',
    method: 'POST',
    path: '/auth/mfa/totp',
    tag,
    summary: 'Enrol an authenticator',
    description:
      'Returns the secret for the authenticator app. Signing in does not require it until a code has been confirmed.',
    access,
    needsFreshProof: true,
    returns: { 200: TotpEnrolment },
    fails: ['mfa_already_enrolled'],
    run: async (context) => answer(200, await beginEnrolment(context, context.caller.userId)),
  }),
  operation({
    id: 'confirmTotp',
    method: 'POST',
    path: '/auth/mfa/totp/confirm',
    tag,
    summary: 'Confirm an authenticator',
    description: 'Returns the recovery codes, which are shown only this once.',
    access,
    needsFreshProof: true,
    bucket: 'auth',
    body: ProveCode,
    returns: { 200: RecoveryCodes },
    fails: ['mfa_not_enrolled', 'mfa_already_enrolled', 'mfa_code_rejected', 'too_many_attempts'],
    example,
    async run(context, { body }) {
      const { userId } = context.caller
      return answer(200, await confirmEnrolment(context, originOf(context), userId, body.code))
    },
  }),
  operation({
    id: 'removeTotp',
    method: 'DELETE',
    path: '/auth/mfa/totp',
    tag,
    summary: 'Remove an authenticator',
    description:
      'Takes one of its codes or a recovery code. The recovery codes are deleted with it.',
    access,
    bucket: 'auth',
    body: ProveCode,
    returns: { 204: null },
    fails: ['mfa_not_enrolled', 'mfa_code_rejected', 'too_many_attempts'],
    example,
    async run(context, { body }) {
      await removeEnrolment(context, originOf(context), context.caller.userId, body.code)
      return answer(204, null)
    },
  }),
  operation({
    id: 'renewRecoveryCodes',
    method: 'POST',
    path: '/auth/mfa/recovery-codes',
    tag,
    summary: 'Replace the recovery codes',
    description: 'The old ones become invalid. The new ones are shown only this once.',
    access,
    bucket: 'auth',
    body: ProveCode,
    returns: { 200: RecoveryCodes },
    fails: ['mfa_not_enrolled', 'mfa_code_rejected', 'too_many_attempts'],
    example,
    async run(context, { body }) {
      const { userId } = context.caller
      return answer(200, await renewRecoveryCodes(context, originOf(context), userId, body.code))
    },
  }),
]
