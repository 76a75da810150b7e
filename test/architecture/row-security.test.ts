/**
 * The row-level security, as the catalogue of the database has it: which tables are held to a
 * workspace, what the role of requests may do, and which operations go without.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { AccessKind, Caller } from '../../src/platform/access/principal.ts'
import { scopeOf } from '../../src/platform/http/gate.ts'
import { isWorkspacePath } from '../../src/platform/http/operation.ts'
import { operations } from '../../src/operations.ts'
import type { TestApp } from '../support/app.ts'
import { useApp } from '../support/suite-app.ts'

const ROLE = 'mooring_requests'

/**
 * Statements across workspaces, or without one yet: only rules by account or identity keep tenants
 * apart there. Phones that are locked to a workspace are not among it.
 */
const UNSCOPED: readonly string[] = [
  'login',
  'verifyMfa',
  'createAuthorizationCode',
  'exchangeAuthorizationCode',
  'refreshSession',
  'reauthenticate',
  'getMe',
  'updateMe',
  'changePassword',
  'logout',
  'listSessions',
  'endSession',
  'getConsoleConfig',
  'openConsoleSession',
  'verifyConsoleMfa',
  'beginPasskeySession',
  'openPasskeySession',
  'refreshConsoleSession',
  'closeConsoleSession',
  'setUp',
  'requestPasswordReset',
  'confirmPasswordReset',
  'requestEmailChange',
  'confirmEmailChange',
  'register',
  'confirmRegistration',
  'deleteAccount',
  'lookAtInvitation',
  'joinByInvitation',
  'beginTotp',
  'confirmTotp',
  'removeTotp',
  'renewRecoveryCodes',
  'startSso',
  'finishSso',
  'listIdentities',
  'linkIdentity',
  'unlinkIdentity',
  'listPasskeys',
  'beginPasskey',
  'addPasskey',
  'renamePasskey',
  'removePasskey',
  'beginPasskeyProof',
  'provePasskey',
  'listWorkspaces',
  'listPlans',
  'createWorkspace',
  'acceptInvitation',
  'startMoidSession',
  'refreshMoidSession',
  'getMoid',
  'endMoidSession',
  'createClaim',
  'listClaims',
  'getClaim',
  'cancelClaim',
  'listMoidDevices',
  'getMoidDevice',
  'renameMoidDevice',
  'releaseMoidDevice',
  'claimShownDevice',
  'createMoidMqttCredentials',
  // Operations of operators, who see the whole installation.
  'getInstallationHealth',
  'getInstallationSettings',
  'listInstallationBrokers',
  'listInstallationTasks',
  'listInstallationMails',
  'retryInstallationMail',
  'listDoctorRuns',
  'startDoctorRun',
  'getDoctorRun',
  'listInstallationAccounts',
  'createInstallationAccount',
  'getInstallationAccount',
  'disableInstallationAccount',
  'enableInstallationAccount',
  'createInstallationPasswordLink',
  'removeInstallationFactors',
  'endInstallationSessions',
  'listInstallationWorkspaces',
  'getInstallationWorkspace',
  'restoreInstallationWorkspace',
  'listInstallationInvitations',
  'listInstallationNames',
  'listInstallationInvoices',
  'listInstallationAuditLog',
  'verifyInstallationAuditLog',
]

/** How each kind of caller may stand with the least of a workspace. */
const freest: Readonly<Record<AccessKind, object>> = {
  user: {},
  operator: {},
  moid: { workspaceId: null },
  'platform-key': { workspaceId: 'w' },
  'provision-key': { workspaceId: 'w' },
  device: { workspaceId: 'w' },
}

/** Tables that no workspace has rows in, and what requests may do there. */
const SHARED: Readonly<Record<string, string>> = {
  changes: 'INSERT',
  idempotency_keys: 'DELETE, INSERT, SELECT, UPDATE',
  moids: 'SELECT, UPDATE (check_at)',
  nodes: 'SELECT',
  usage_horizon: 'SELECT',
  users: 'SELECT (email), SELECT (id), SELECT (name), SELECT (status)',
}

const RULE =
  /^\((?:workspace_)?id = \(NULLIF\(current_setting\('mooring\.workspace'::text, true\), ''::text\)\)::uuid\)$/

describe('row level security', () => {
  const get = useApp()
  let app: TestApp

  before(() => {
    app = get()
  })

  const ask = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    (await app.database.pool.query<Row>(sql, values)).rows

  const tablesOfWorkspaces = async (): Promise<string[]> => {
    const rows = await ask<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
         AND (c.relname = 'workspaces' OR EXISTS (
           SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace_id'))
       ORDER BY 1`,
    )
    return rows.map(({ name }) => name)
  }

  test('every table of workspaces is held to the one rule, for reading and for writing', async () => {
    for (const name of await tablesOfWorkspaces()) {
      const policies = await ask<{ on: boolean; permissive: boolean; of: string; check: string }>(
        `SELECT c.relrowsecurity AS on, p.polpermissive AS permissive,
                pg_get_expr(p.polqual, c.oid) AS of, pg_get_expr(p.polwithcheck, c.oid) AS check
         FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
         WHERE c.oid = $1::regclass AND p.polcmd = '*' AND p.polroles = '{0}'`,
        [name],
      )
      assert.equal(policies.length, 1, `${name}: a table needs the policy of 0015-row-security.sql`)
      const [policy] = policies
      assert.equal(policy?.on, true, name)
      assert.match(policy?.of ?? '', RULE, name)
      assert.match(policy?.check ?? '', RULE, name)
    }
    const [count] = await ask<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
       WHERE c.relnamespace = 'public'::regnamespace`,
    )
    // A second policy of a table would let through what the first one does not.
    assert.equal(count?.n, (await tablesOfWorkspaces()).length)
  })

  test('the role of requests owns nothing and passes no policy', async () => {
    const [role] = await ask(
      `SELECT r.rolsuper, r.rolbypassrls, r.rolcanlogin, r.rolcreaterole, r.rolcreatedb,
         EXISTS (SELECT FROM pg_class WHERE relowner = r.oid) AS owns,
         EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid) AS is_member
       FROM pg_roles r WHERE r.rolname = $1`,
      [ROLE],
    )
    assert.ok(role)
    assert.deepEqual(Object.values(role), Array(7).fill(false))
  })

  test('the role may read and write what is listed, and append to the audit log', async () => {
    const granted = await ask<{ name: string; rights: string }>(
      `SELECT name, string_agg(word, ', ' ORDER BY word COLLATE "C") AS rights FROM (
         SELECT c.relname AS name, p.privilege_type AS word
         FROM pg_class c, aclexplode(c.relacl) p
         WHERE p.grantee = $1::regrole AND c.relnamespace = 'public'::regnamespace
         UNION ALL
         SELECT c.relname, format('%s (%s)', p.privilege_type, a.attname)
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid, aclexplode(a.attacl) p
         WHERE p.grantee = $1::regrole AND c.relnamespace = 'public'::regnamespace
       ) AS grants GROUP BY name`,
      [ROLE],
    )
    const all = Object.fromEntries(granted.map(({ name, rights }) => [name, rights]))
    const ofWorkspaces = await tablesOfWorkspaces()
    const shared = Object.entries(all).filter(([name]) => !ofWorkspaces.includes(name))
    assert.deepEqual(Object.fromEntries(shared), SHARED)
    assert.equal(all.audit_log, 'INSERT, SELECT')
    assert.equal(all.audit_queue, 'INSERT, SELECT')
    assert.equal(all.audit_batches, 'SELECT')
    assert.equal(all.audit_chains, 'SELECT')
    assert.equal(all.events, 'INSERT, SELECT')
    assert.equal(all.workspaces, 'SELECT, UPDATE')
  })

  test('only the listed operations are not kept to one workspace', () => {
    const isUnscoped = ({ access, path }: (typeof operations)[number]): boolean => {
      const callers: object[] =
        access === 'public' ? [{ kind: 'anonymous' }] : access.map((kind) => freest[kind])
      const workspaceId = isWorkspacePath(path) ? 'w' : ''
      return callers.some((caller) => scopeOf(caller as Caller, workspaceId) === undefined)
    }
    const ids = operations.filter(isUnscoped).map(({ id }) => id)
    assert.deepEqual(new Set(ids), new Set(UNSCOPED))
  })
})
