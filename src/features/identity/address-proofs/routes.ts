/** Operations of the web console that mail a link, and those that such a link leads to. */
import { operation } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { respond } from '../../../platform/http/reply.ts'
import { ConsoleSession } from '../../common/console-session.ts'
import { confirmEmailChange, requestEmailChange } from './email-change.ts'
import { requestLink } from './link-request.ts'
import { confirmPasswordReset } from './password-reset.ts'
import { confirmRegistration, register } from './registration.ts'
import * as schema from './schema.ts'

const common = { base: CONSOLE_BASE, tag: 'Sign-in', bucket: 'auth', idempotency: 'own' } as const
const open = { ...common, access: 'public' } as const
const counted = { ...open, limitedBy: 'rule' } as const
const token = 'link_…'
const email = 'ada@example.com'
const password = 'correct horse battery staple'

export const addressProofOperations = [
  operation({
    ...counted,
    id: 'requestPasswordReset',
    route: 'POST /password-resets',
    body: schema.GivenAddress,
    returns: { 202: schema.Accepted },
    example: { email },
    async run(context, { body }) {
      await requestLink(context, 'password_reset', body.email)
      return respond(202, {})
    },
  }),
  operation({
    ...open,
    id: 'confirmPasswordReset',
    route: 'POST /password-resets/confirm',
    body: schema.ConfirmPasswordReset,
    returns: { 204: null },
    fails: ['link_not_found'],
    example: { token, password },
    run: (context, { body }) => confirmPasswordReset(context, body),
  }),
  operation({
    ...common,
    id: 'requestEmailChange',
    route: 'POST /email-changes',
    access: ['user'],
    needsFreshProof: true,
    body: schema.GivenAddress,
    returns: { 202: schema.Accepted },
    fails: ['permission_denied'],
    example: { email },
    async run(context, { body }) {
      await requestEmailChange(context, body.email)
      return respond(202, {})
    },
  }),
  operation({
    ...open,
    id: 'confirmEmailChange',
    route: 'POST /email-changes/confirm',
    body: schema.ConfirmEmailChange,
    returns: { 200: schema.ConfirmedEmail },
    fails: ['link_not_found', 'account_exists'],
    example: { token },
    run: (context, { body }) => confirmEmailChange(context, body.token),
  }),
  operation({
    ...counted,
    id: 'register',
    route: 'POST /registrations',
    body: schema.GivenAddress,
    returns: { 202: schema.Accepted },
    fails: ['registration_closed'],
    example: { email },
    async run(context, { body }) {
      await register(context, body.email)
      return respond(202, {})
    },
  }),
  operation({
    ...open,
    id: 'confirmRegistration',
    route: 'POST /registrations/confirm',
    body: schema.ConfirmRegistration,
    returns: { 201: ConsoleSession },
    fails: ['registration_closed', 'link_not_found', 'account_exists'],
    example: { token, name: 'Ada Lovelace', password },
    run: (context, { body }) => confirmRegistration(context, body),
  }),
]
