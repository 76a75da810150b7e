/** The operation of the web console that deletes one's own account. */
import { operation } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { deleteAccount } from './account-deletion.ts'
import { DeleteAccount } from './schema.ts'

export const accountDeletionOperations = [
  operation({
    id: 'deleteAccount',
    base: CONSOLE_BASE,
    route: 'DELETE /account',
    tag: 'Sign-in',
    access: ['user'],
    needsFreshProof: true,
    bucket: 'safety',
    idempotency: 'own',
    body: DeleteAccount,
    returns: { 204: null },
    fails: ['last_owner', 'permission_denied'],
    example: { confirm: 'ada@example.com' },
    run: (context, { body }) => deleteAccount(context, body),
  }),
]
