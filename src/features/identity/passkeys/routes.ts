/** Operations of the web console on one's own passkeys, and on the proof with one. */
import { operationGroup } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { AccessTokenResponse } from '../../common/access-token.ts'
import { exampleProof, PasskeyRequest, ProvePasskey } from '../../common/passkey-shapes.ts'
import { addPasskey, beginPasskey, listPasskeys, removePasskey, renamePasskey } from './passkey.ts'
import { beginPasskeyProof, provePasskey } from './passkey-proof.ts'
import { AddPasskey, PasskeyCreation, Passkeys, PasskeyView, RenamePasskey } from './schema.ts'

const operation = operationGroup({
  tag: 'Sign-in',
  access: ['user'],
  base: CONSOLE_BASE,
  isPlanFree: true,
  idempotency: 'own',
})
const { id, client_data } = exampleProof

export const passkeyOperations = [
  operation({
    id: 'listPasskeys',
    route: 'GET /auth/passkeys',
    returns: { 200: Passkeys },
    run: (context) => listPasskeys(context),
  }),
  operation({
    id: 'beginPasskey',
    route: 'POST /auth/passkeys/options',
    needsFreshProof: true,
    returns: { 200: PasskeyCreation },
    fails: [
      'passkeys_unavailable',
      'permission_denied',
      'password_change_required',
      'mfa_required',
      'limit_reached',
    ],
    run: (context) => beginPasskey(context),
  }),
  operation({
    id: 'addPasskey',
    route: 'POST /auth/passkeys',
    needsFreshProof: true,
    bucket: 'auth',
    body: AddPasskey,
    returns: { 201: PasskeyView },
    fails: [
      'passkey_rejected',
      'passkeys_unavailable',
      'permission_denied',
      'password_change_required',
      'mfa_required',
      'limit_reached',
    ],
    example: { name: 'Laptop', id, client_data, attestation: 'o2NmbXRkbm9uZQ', transports: [] },
    run: (context, { body }) => addPasskey(context, body),
  }),
  operation({
    id: 'renamePasskey',
    route: 'PATCH /auth/passkeys/:passkey_id',
    body: RenamePasskey,
    returns: { 200: PasskeyView },
    fails: ['passkey_not_found'],
    example: { name: 'Security key' },
    run: (context, { params, body }) => renamePasskey(context, params.passkey_id, body.name),
  }),
  operation({
    id: 'removePasskey',
    route: 'DELETE /auth/passkeys/:passkey_id',
    needsFreshProof: true,
    bucket: 'safety',
    returns: { 204: null },
    fails: ['passkey_not_found', 'mfa_required'],
    run: (context, { params }) => removePasskey(context, params.passkey_id),
  }),
  operation({
    id: 'beginPasskeyProof',
    route: 'POST /auth/passkeys/proof/options',
    bucket: 'auth',
    returns: { 200: PasskeyRequest },
    fails: ['passkeys_unavailable'],
    run: (context) => beginPasskeyProof(context),
  }),
  operation({
    id: 'provePasskey',
    route: 'POST /auth/passkeys/proof',
    bucket: 'auth',
    body: ProvePasskey,
    returns: { 200: AccessTokenResponse },
    fails: ['passkey_rejected', 'passkeys_unavailable'],
    example: exampleProof,
    run: (context, { body }) => provePasskey(context, body),
  }),
]
