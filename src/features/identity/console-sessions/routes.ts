/** Operations of the web console on its sessions. */
import { operation } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { exampleProof, PasskeyRequest } from '../../common/passkey-shapes.ts'
import { ConsoleSession } from '../../common/console-session.ts'
import {
  beginPasskeySession,
  getConsoleConfig,
  closeConsoleSession,
  openConsoleSession,
  openPasskeySession,
  refreshConsoleSession,
  verifyConsoleMfa,
} from './console-session.ts'
import * as schema from './schema.ts'

const common = { base: CONSOLE_BASE, tag: 'Sign-in', access: 'public' } as const
/** Like all operations that set cookies: a stored response would not contain them. */
const counted = { ...common, idempotency: 'own', bucket: 'auth', limitedBy: 'rule' } as const

export const consoleSessionOperations = [
  operation({
    ...common,
    id: 'getConsoleConfig',
    route: 'GET /config',
    returns: { 200: schema.ConsoleConfig },
    run: (context) => getConsoleConfig(context),
  }),
  operation({
    ...counted,
    id: 'openConsoleSession',
    route: 'POST /session',
    body: schema.OpenConsoleSession,
    returns: { 200: schema.OpenedConsoleSession },
    fails: ['invalid_credentials', 'initial_password_expired', 'too_many_attempts'],
    example: { email: 'owner@example.com', password: 'correct horse battery staple', stay: true },
    run: (context, { body }) => openConsoleSession(context, body),
  }),
  operation({
    ...counted,
    id: 'verifyConsoleMfa',
    route: 'POST /session/mfa',
    body: schema.VerifyConsoleMfa,
    returns: { 200: ConsoleSession },
    fails: ['mfa_code_rejected', 'too_many_attempts'],
    example: { mfa_token: 'mfa_…', code: '492039', stay: true },
    run: (context, { body }) => verifyConsoleMfa(context, body),
  }),
  operation({
    ...common,
    id: 'beginPasskeySession',
    route: 'POST /session/passkey/options',
    idempotency: 'own',
    // Nothing is stored, and the page of signing in asks whenever it is shown.
    bucket: 'read',
    returns: { 200: PasskeyRequest },
    fails: ['passkeys_unavailable'],
    run: (context) => Promise.resolve(beginPasskeySession(context)),
  }),
  operation({
    ...counted,
    id: 'openPasskeySession',
    route: 'POST /session/passkey',
    body: schema.OpenPasskeySession,
    returns: { 200: ConsoleSession },
    fails: ['passkey_rejected', 'passkeys_unavailable'],
    example: { ...exampleProof, user_handle: 'AZ2mZpTLdxKw', stay: true },
    run: (context, { body }) => openPasskeySession(context, body),
  }),
  operation({
    ...counted,
    id: 'refreshConsoleSession',
    route: 'POST /session/refresh',
    returns: { 200: ConsoleSession },
    fails: ['refresh_token_rejected', 'refresh_token_reused'],
    run: (context) => refreshConsoleSession(context),
  }),
  operation({
    ...common,
    id: 'closeConsoleSession',
    route: 'DELETE /session',
    bucket: 'safety',
    returns: { 204: null },
    run: (context) => closeConsoleSession(context),
  }),
]
