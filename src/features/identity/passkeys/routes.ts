/** Operations of the web console on one's own passkeys, and on the proof with one. */
import { operation } from '../../../context.ts'
import { CONSOLE_BASE, idParam, respond } from '../../../platform/http/operation.ts'
import { AccessTokenResponse } from '../../common/access-token.ts'
import { exampleProof, PasskeyRequest, ProvePasskey } from '../../common/passkey-shapes.ts'
import { addPasskey, beginPasskey, listPasskeys, removePasskey, renamePasskey } from './passkey.ts'
import { beginPasskeyProof, provePasskey } from './passkey-proof.ts'
import { AddPasskey, PasskeyCreation, Passkeys, PasskeyView, RenamePasskey } from './schema.ts'

const common = {
  base: CONSOLE_BASE,
  tag: 'Sign-in',
  access: ['user'],
  isPlanFree: true,
  idempotency: 'own',
} as const
const passkey = { passkey_id: idParam('pky', 'passkey_not_found') }
const { id, client_data } = exampleProof

export const passkeyOperations = [
  operation({
    ...common,
    id: 'listPasskeys',
    method: 'GET',
    path: '/auth/passkeys',
    returns: { 200: Passkeys },
    fails: [],
    run: async (context) => respond(200, await listPasskeys(context)),
  }),
  operation({
    ...common,
    id: 'beginPasskey',
    method: 'POST',
    path: '/auth/passkeys/options',
    needsFreshProof: true,
    returns: { 200: PasskeyCreation },
    fails: [
      'passkeys_unavailable',
      'permission_denied',
      'password_change_required',
      'mfa_required',
      'limit_reached',
    ],
    run: async (context) => respond(200, await beginPasskey(context)),
  }),
  operation({
    ...common,
    id: 'addPasskey',
    method: 'POST',
    path: '/auth/passkeys',
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
    run: async (context, { body }) => respond(201, await addPasskey(context, body)),
  }),
  operation({
    ...common,
    id: 'renamePasskey',
    method: 'PATCH',
    path: '/auth/passkeys/:passkey_id',
    params: passkey,
    body: RenamePasskey,
    returns: { 200: PasskeyView },
    fails: ['passkey_not_found'],
    example: { name: 'Security key' },
    run: async (context, { params, body }) =>
      respond(200, await renamePasskey(context, params.passkey_id, body.name)),
  }),
  operation({
    ...common,
    id: 'removePasskey',
    method: 'DELETE',
    path: '/auth/passkeys/:passkey_id',
    needsFreshProof: true,
    bucket: 'safety',
    params: passkey,
    returns: { 204: null },
    fails: ['passkey_not_found', 'mfa_required'],
    async run(context, { params }) {
      await removePasskey(context, params.passkey_id)
      return respond(204, null)
    },
  }),
  operation({
    ...common,
    id: 'beginPasskeyProof',
    method: 'POST',
    path: '/auth/passkeys/proof/options',
    bucket: 'auth',
    returns: { 200: PasskeyRequest },
    fails: ['passkeys_unavailable'],
    run: async (context) => respond(200, await beginPasskeyProof(context)),
  }),
  operation({
    ...common,
    id: 'provePasskey',
    method: 'POST',
    path: '/auth/passkeys/proof',
    bucket: 'auth',
    body: ProvePasskey,
    returns: { 200: AccessTokenResponse },
    fails: ['passkey_rejected', 'passkeys_unavailable'],
    example: exampleProof,
    run: async (context, { body }) => respond(200, await provePasskey(context, body)),
  }),
]
