/** Operations of the web console that mail a link, and those that such a link leads to. */
import { operation } from '../../../context.ts'
import { CONSOLE_BASE, respond } from '../../../platform/http/operation.ts'
import { ConsoleSession } from '../../common/console-session.ts'
import { confirmEmailChange, requestEmailChange } from './email-change.ts'
import { requestLink } from './link-request.ts'
import { confirmPasswordReset } from './password-reset.ts'
import { confirmRegistration, register } from './registration.ts'
import {
  Accepted,
  ConfirmedEmail,
  ConfirmEmailChange,
  ConfirmPasswordReset,
  ConfirmRegistration,
  GivenAddress,
} from './schema.ts'

const common = {
  base: CONSOLE_BASE,
  tag: 'Sign-in',
  method: 'POST',
  bucket: 'auth',
  idempotency: 'own',
} as const
const open = { ...common, access: 'public' } as const
const counted = { ...open, limitedBy: 'rule' } as const
const token = 'link_…'
const email = 'ada@example.com'
const password = 'correct horse battery staple'

export const addressProofOperations = [
  operation({
    ...counted,
    id: 'requestPasswordReset',
    path: '/password-resets',
    body: GivenAddress,
    returns: { 202: Accepted },
    fails: [],
    example: { email },
    async run(context, { body }) {
      await requestLink(context, 'password_reset', body.email)
      return respond(202, {})
    },
  }),
  operation({
    ...open,
    id: 'confirmPasswordReset',
    path: '/password-resets/confirm',
    body: ConfirmPasswordReset,
    returns: { 204: null },
    fails: ['link_not_found'],
    example: { token, password },
    async run(context, { body }) {
      await confirmPasswordReset(context, body)
      return respond(204, null)
    },
  }),
  operation({
    ...common,
    id: 'requestEmailChange',
    path: '/email-changes',
    access: ['user'],
    needsFreshProof: true,
    body: GivenAddress,
    returns: { 202: Accepted },
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
    path: '/email-changes/confirm',
    body: ConfirmEmailChange,
    returns: { 200: ConfirmedEmail },
    fails: ['link_not_found', 'account_exists'],
    example: { token },
    run: async (context, { body }) => respond(200, await confirmEmailChange(context, body.token)),
  }),
  operation({
    ...counted,
    id: 'register',
    path: '/registrations',
    body: GivenAddress,
    returns: { 202: Accepted },
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
    path: '/registrations/confirm',
    body: ConfirmRegistration,
    returns: { 201: ConsoleSession },
    fails: ['registration_closed', 'link_not_found', 'account_exists'],
    example: { token, name: 'Ada Lovelace', password },
    run: async (context, { body }) => respond(201, await confirmRegistration(context, body)),
  }),
]
