/**
 * The operations that ask users for a fresh proof of the password or a second factor, and why; and
 * why the other changes of accounts, keys, members and workspaces do not. A new operation there has
 * to be added to one of the two lists.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerKindOf } from '../../src/platform/access/principal.ts'
import { operations } from '../../src/operations.ts'

/**
 * Operations that would give the holder of a stolen access token more, or for longer, than the
 * token does.
 */
const needed: Readonly<Record<string, string>> = {
  beginTotp: 'a foreign authenticator would lock the person out',
  confirmTotp: 'the same; the enrolment may have begun long ago',
  beginPasskey: 'a foreign passkey signs in without the password',
  addPasskey: 'the same',
  removePasskey: 'without it the person might be left with a password that others know',
  linkIdentity: 'a foreign identity signs in without the password',
  unlinkIdentity: 'without it the person might be left with a password that others know',
  createApiKey: 'a key outlives the session',
  createAuthorizationCode: 'the session of a program outlives that of the browser',
  updateApiKey: 'a provision key could be widened',
  requestEmailChange: 'with another address the account could be taken over',
  createInvitationLink: 'the link lets anyone in who has it',
  createInvitation: 'a member of the caller’s choice outlives the session',
  changeMember: 'a member could be promoted',
  deleteAccount: 'it cannot be taken back',
  deleteWorkspace: 'everything in it stops at once',
  retryInstallationMail: 'a mail may contain a link that opens an account',
  startDoctorRun: 'it makes workspaces, and loads a broker',
  createInstallationAccount: 'an account outlives the session',
  disableInstallationAccount: 'it locks somebody out',
  enableInstallationAccount: 'it lets somebody in again',
  createInstallationPasswordLink: 'the link opens an account that has no second factor',
  removeInstallationFactors: 'it weakens the account of somebody else',
  endInstallationSessions: 'it throws somebody out',
  restoreInstallationWorkspace: 'its keys and devices work again',
}

/** Changes that do without it. */
const unneeded: Readonly<Record<string, string>> = {
  reauthenticate: 'it is the proof',
  beginPasskeyProof: 'it asks for the proof',
  provePasskey: 'it is the proof',
  renamePasskey: 'a name opens nothing',
  changePassword: 'the body has the current password',
  removeTotp: 'the body has a code',
  renewRecoveryCodes: 'the body has a code',
  updateMe: 'a name opens nothing',
  logout: 'ending rights must always be possible',
  endSession: 'ending rights must always be possible',
  // Wrong passwords sent by others delay a proof, which must not delay the revocation of a key.
  revokeApiKey: 'ending rights must always be possible',
  removeMember: 'ending rights must always be possible',
  revokeInvitation: 'ending rights must always be possible',
  acceptInvitation: 'the token was mailed to the address of the account',
  createWorkspace: 'it is empty, and the caller’s own',
  updateWorkspace:
    'a name or a slug opens nothing; the rule asks for it before `mfa_required` changes',
}

const tags = new Set(['Sign-in', 'API keys', 'People', 'Workspaces', 'Installation'])

const isForUsers = ({ access }: (typeof operations)[number]): boolean =>
  access !== 'public' && access.some((kind) => callerKindOf(kind) === 'user')

test('each operation that needs a fresh proof is on the list, with its reason', () => {
  assert.deepEqual(
    operations
      .filter(({ needsFreshProof }) => needsFreshProof)
      .map(({ id }) => id)
      .toSorted(),
    Object.keys(needed).toSorted(),
  )
})

test('every other change of accounts, keys, members and workspaces has a reason to need none', () => {
  const changes = operations.filter(
    (operation) =>
      tags.has(operation.tag) &&
      isForUsers(operation) &&
      operation.method !== 'GET' &&
      !operation.needsFreshProof,
  )
  assert.deepEqual(changes.map(({ id }) => id).toSorted(), Object.keys(unneeded).toSorted())
})

test('only users are asked for a fresh proof, and only for changes', () => {
  for (const operation of operations) {
    const { id, method, needsFreshProof } = operation
    if (!needsFreshProof) continue
    assert.ok(isForUsers(operation), id)
    assert.notEqual(method, 'GET', id)
  }
})
