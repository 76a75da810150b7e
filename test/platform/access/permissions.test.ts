/** The table of permissions: the rules of every line, and the lines that nobody may widen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerHolds } from '../../../src/platform/access/holding.ts'
import {
  narrower,
  type Permission,
  permissions,
  roleHolds,
  roles,
} from '../../../src/platform/access/permissions.ts'

const names = Object.keys(permissions) as Permission[]

test('a wider role holds whatever a narrower one holds', () => {
  for (const name of names) {
    for (const [index, role] of roles.entries()) {
      for (const wider of roles.slice(0, index)) {
        assert.ok(!roleHolds(role, name) || roleHolds(wider, name), `${wider} lacks ${name}`)
        assert.equal(narrower(wider, role), role)
      }
    }
  }
})

test('a platform key holds at most the permissions of an admin', () => {
  for (const name of names) {
    assert.ok(!permissions[name].platformKey || roleHolds('admin', name), name)
  }
})

test('owners and the end of a workspace are for owners alone', () => {
  for (const name of ['owners.write', 'workspace.delete'] as const) {
    assert.deepEqual([permissions[name].roles, permissions[name].platformKey], [['owner'], false])
  }
})

test('viewers change nothing but their own saved views', () => {
  const held = names.filter((name) => roleHolds('viewer', name) && name !== 'views.write')
  assert.ok(
    held.every((name) => name.endsWith('.read') || name.endsWith('.explain')),
    held.join(' '),
  )
})

test('a caller from another workspace has no permission there', () => {
  const user = {
    kind: 'user',
    userId: 'u',
    sessionId: 's',
    limitedTo: null,
    onlyPays: false,
    authenticatedAt: 0,
    mustChangePassword: false,
    mfa: false,
    isOperator: false,
    secondFactorMissing: { everywhere: false, workspaces: new Set<string>() },
    roles: new Map([['one', 'owner']] as const),
  } as const
  const key = { kind: 'platform-key', workspaceId: 'one', keyId: 'k' } as const
  for (const name of names) {
    assert.equal(callerHolds(user, 'two', name), false)
    assert.equal(callerHolds(key, 'two', name), false)
    assert.equal(callerHolds(user, 'one', name), true)
  }
})
