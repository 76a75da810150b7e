/** Invitations: by mail, for one person, once. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  disableAccount,
  enableAccount,
} from '../../../../src/features/identity/accounts/account.ts'
import { lockToAct } from '../../../../src/features/team/members/acting-user.ts'
import { expireInvitations } from '../../../../src/features/team/members/invitation-revocation.ts'
import { MAX_A_DAY, MAX_PENDING } from '../../../../src/features/team/members/invitation.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { INVITATION_TOKEN_PREFIX, issueSecret } from '../../../../src/platform/lib/secrets.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { mailedToken, mailTo } from '../../../support/outbox.ts'
import { seedUser } from '../../../support/seed.ts'
import { comparable, tally } from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const invite = (app: TestApp, email: string, role = 'member', more: object = {}) =>
  app.call('POST', `/workspaces/${app.seed.id}/invitations`, {
    as: as.user(app.seed.owner.token),
    body: { email, role, ...more },
  })

const accept = (app: TestApp, user: { token: string }, token: string): Promise<CallResult> =>
  app.call('POST', '/invitations/accept', { as: as.user(user.token), body: { token } })

const revoke = (app: TestApp, id: string): Promise<CallResult> =>
  app.call('DELETE', `/workspaces/${app.seed.id}/invitations/${id}`, {
    as: as.user(app.seed.owner.token),
  })

const list = (app: TestApp, query = ''): Promise<CallResult> =>
  app.call('GET', `/workspaces/${app.seed.id}/invitations${query}`, {
    as: as.platformKey(app.seed.platformKey),
  })

const expire = (app: TestApp, email: string) =>
  sql(
    app.database,
    `UPDATE invitations SET expires_at = now() - interval '1 second' WHERE email = $1`,
    [email],
  )

const isNotFound = ({ status, body }: CallResult): void =>
  assert.deepEqual([status, body.code], [404, 'invitation_not_found'])

suite('invitations', () => {
  const fresh = useTenants({ environment: { MOORING_CONSOLE_URL: 'https://console.example/' } })

  test('the token comes by mail and nowhere else, and lets its person in', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app)
    const created = await invite(app, user.email.toUpperCase(), 'admin')
    assert.equal(created.status, 201, created.text)
    const { email, role, status, created_by: by } = created.body
    assert.deepEqual([email, role, status, by], [user.email, 'admin', 'pending', app.seed.owner.id])
    const token = await mailedToken(app, user.email)
    const [mail] = await mailTo(app, user.email)
    assert.match(mail?.text ?? '', /https:\/\/console\.example\/invitations#token=invite_/)
    assert.ok(!created.text.includes(token) && !(await list(app)).text.includes(token))
    const [row] = await sql<{ row: string }>(
      app.database,
      'SELECT m::text AS row FROM mail_outbox m WHERE recipient = $1',
      [user.email],
    )
    assert.ok(
      !row?.row.includes(Buffer.from(token).toString('hex')),
      'the waiting mail is encrypted',
    )
    const accepted = await accept(app, user, token)
    assert.deepEqual(
      [accepted.status, accepted.body],
      [
        200,
        {
          invitation_id: created.body.id,
          workspace_id: app.seed.id,
          user_id: user.id,
          role: 'admin',
        },
      ],
    )
    const members = await app.call('GET', `/workspaces/${app.seed.id}/members`, {
      as: as.user(user.token),
    })
    assert.equal(members.status, 200, 'the same access token works at once')
    isNotFound(await accept(app, user, token))
    const { body } = await list(app, '?status=accepted')
    assert.deepEqual(
      body.items.map((item: Record<string, string>) => [item.id, item.accepted_by]),
      [[created.body.id, user.id]],
    )
  })

  test('for other accounts a valid token is a 404, and the attempt is logged', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app)
    const thief = await seedUser(app.app)
    const { body } = await invite(app, user.email)
    const token = await mailedToken(app, user.email)
    const stolen = await accept(app, thief, token)
    isNotFound(stolen)
    const unknown = await accept(app, thief, issueSecret(INVITATION_TOKEN_PREFIX))
    assert.deepEqual(comparable(stolen), comparable(unknown))
    assert.deepEqual(comparable(stolen), comparable(await accept(app, thief, 'nonsense')))
    const log = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/audit-log?action=invitation.refused`,
      { as: as.user(app.seed.owner.token) },
    )
    assert.deepEqual(
      log.body.items.map(({ actor, resource }: Record<string, { id: string }>) => [
        actor?.id,
        resource?.id,
      ]),
      [[thief.id, body.id]],
    )
    assert.equal((await accept(app, user, token)).status, 200)
  })

  test('revoked, replaced and late invitations are no longer valid', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app)
    const first = await invite(app, user.email)
    const firstToken = await mailedToken(app, user.email)
    const second = await invite(app, user.email, 'viewer', { expires_in_s: 3_600 })
    const secondToken = await mailedToken(app, user.email)
    assert.notEqual(firstToken, secondToken)
    isNotFound(await accept(app, user, firstToken))
    assert.equal((await revoke(app, second.body.id)).status, 204)
    assert.equal((await revoke(app, second.body.id)).status, 204)
    isNotFound(await accept(app, user, secondToken))
    await invite(app, user.email)
    const lateToken = await mailedToken(app, user.email)
    await expire(app, user.email)
    isNotFound(await accept(app, user, lateToken))
    const states = async () =>
      (await list(app)).body.items.map(({ status }: { status: string }) => status)
    assert.deepEqual(await states(), ['expired', 'revoked', 'revoked'])
    await expireInvitations(app.database)
    const items = (await list(app)).body.items as { id: string; status: string }[]
    assert.equal(items[0]?.status, 'expired')
    const late = await revoke(app, items[0]?.id ?? '')
    assert.deepEqual([late.status, late.body.code], [409, 'invalid_transition'])
    assert.equal(items[2]?.id, first.body.id)
  })

  test('a member cannot be invited, and cannot accept an older invitation', async (t) => {
    const app = await fresh(t)
    const again = await invite(app, app.seed.owner.email)
    assert.deepEqual([again.status, again.body.code], [409, 'already_member'])
    const user = await seedUser(app.app)
    const { body } = await invite(app, user.email, 'admin')
    const token = await mailedToken(app, user.email)
    await sql(
      app.database,
      `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, 'viewer')`,
      [app.seed.uuid, user.uuid],
    )
    const response = await accept(app, user, token)
    assert.deepEqual([response.status, response.body.code], [409, 'already_member'])
    assert.equal((await list(app)).body.items[0].status, 'pending')
    assert.equal((await revoke(app, body.id)).status, 204)
  })

  test('only an owner invites an owner; a platform key invites up to member', async (t) => {
    const app = await fresh(t)
    const admin = await seedUser(app.app, { [app.seed.uuid]: 'admin' })
    const path = `/workspaces/${app.seed.id}/invitations`
    for (const credential of [as.user(admin.token), as.platformKey(app.seed.platformKey)]) {
      const body = { email: 'boss@example.com', role: 'owner' }
      const denied = await app.call('POST', path, { as: credential, body })
      assert.deepEqual([denied.status, denied.body.code], [403, 'permission_denied'])
    }
    for (const [credential, role] of [
      [as.user(admin.token), 'admin'],
      [as.platformKey(app.seed.platformKey), 'member'],
    ] as const) {
      const body = { email: `${role}@example.com`, role }
      assert.equal((await app.call('POST', path, { as: credential, body })).status, 201)
    }
    assert.equal((await invite(app, 'boss@example.com', 'owner')).status, 201)
  })

  test('invitations by a member or to a member end with the membership', async (t) => {
    const app = await fresh(t)
    const { owner } = app.seed
    const second = await seedUser(app.app, { [app.seed.uuid]: 'owner' })
    const path = `/workspaces/${app.seed.id}`
    const sent = async (email: string, role: string): Promise<void> => {
      const body = { email, role }
      const response = await app.call('POST', `${path}/invitations`, {
        as: as.user(second.token),
        body,
      })
      assert.equal(response.status, 201, response.text)
    }
    const pending = async () =>
      (await list(app, '?status=pending')).body.items.map(({ email }: { email: string }) => email)
    await sent('o@example.com', 'owner')
    await sent('a@example.com', 'admin')
    const patch = { as: as.user(owner.token), body: { role: 'admin' } }
    assert.equal((await app.call('PATCH', `${path}/members/${second.id}`, patch)).status, 200)
    assert.deepEqual(await pending(), ['a@example.com'])
    await invite(app, 'mine@example.com')
    const removed = await app.call('DELETE', `${path}/members/${second.id}`, {
      as: as.user(owner.token),
    })
    assert.equal(removed.body.invitations_revoked, 1)
    const log = await app.call('GET', `${path}/audit-log?action=member.removed`, {
      as: as.user(owner.token),
    })
    assert.equal(log.body.items[0].detail.invitations_revoked, 1)
    assert.deepEqual(await pending(), ['mine@example.com'])
  })

  test('invitations sent by a key end with the key', async (t) => {
    const app = await fresh(t)
    const { id, owner, uuid: workspaceId } = app.seed
    const credential = { as: as.user(owner.token) }
    const body = { key_kind: 'platform', name: 'hr' }
    const made = await app.call('POST', `/workspaces/${id}/api-keys`, { ...credential, body })
    const user = await seedUser(app.app)
    const sent = await app.call('POST', `/workspaces/${id}/invitations`, {
      as: as.platformKey(made.body.key),
      body: { email: user.email, role: 'member' },
    })
    assert.equal(sent.status, 201, sent.text)
    const token = await mailedToken(app, user.email)
    await invite(app, 'mine@example.com')
    const key = `/workspaces/${id}/api-keys/${made.body.id}`
    assert.equal((await app.call('DELETE', key, credential)).status, 204)
    isNotFound(await accept(app, user, token))
    const pending = (await list(app, '?status=pending')).body.items
    assert.deepEqual(
      pending.map(({ email }: { email: string }) => email),
      ['mine@example.com'],
    )
    // A request of the key that passed the gate before it was revoked.
    const keyId = parseId('key', made.body.id) as string
    const late = { workspaceId, caller: { kind: 'platform-key', workspaceId, keyId } as const }
    const act = app.services.db.transaction((trx) => lockToAct(late, trx))
    await assert.rejects(act, { code: 'credential_rejected' })
  })

  test('an older invitation of an admin by a key is refused', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app)
    const body = { email: user.email, role: 'member' }
    await app.call('POST', `/workspaces/${app.seed.id}/invitations`, {
      as: as.platformKey(app.seed.platformKey),
      body,
    })
    const token = await mailedToken(app, user.email)
    await app.database.pool.query(`UPDATE invitations SET role = 'admin' WHERE email = $1`, [
      user.email,
    ])
    isNotFound(await accept(app, user, token))
  })

  test('invitations of a disabled account are valid again when the account is enabled', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app)
    await invite(app, user.email)
    const token = await mailedToken(app, user.email)
    await disableAccount(app.services, app.seed.owner.uuid)
    isNotFound(await accept(app, user, token))
    await enableAccount(app.services, app.seed.owner.uuid)
    assert.equal((await accept(app, user, token)).status, 200)
  })

  test('one of fifty acceptances at once succeeds, and there is one membership', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app)
    await invite(app, user.email)
    const token = await mailedToken(app, user.email)
    const responses = await Promise.all(Array.from({ length: 50 }, () => accept(app, user, token)))
    // On a busy machine some wait too long for a connection; none of those is let in.
    const { 200: accepted, 404: refused = 0, 503: busy = 0 } = tally(responses)
    assert.deepEqual([accepted, refused + busy], [1, 49])
    const log = await app.call('GET', `/workspaces/${app.seed.id}/audit-log?action=member.added`, {
      as: as.user(app.seed.owner.token),
    })
    assert.equal(log.body.items.length, 1)
  })

  test('one of an acceptance and a revocation at once succeeds', async (t) => {
    const app = await fresh(t)
    for (let round = 0; round < 8; round += 1) {
      const user = await seedUser(app.app)
      const { body } = await invite(app, user.email)
      const token = await mailedToken(app, user.email)
      const [accepted, revoked] = await Promise.all([
        accept(app, user, token),
        revoke(app, body.id),
      ])
      const both = [accepted.status, revoked.status]
      assert.ok(
        both.join() === '200,409' || both.join() === '404,204',
        `${accepted.text} ${revoked.text}`,
      )
    }
  })

  test('the numbers of pending invitations and of invitations per day are bounded', async (t) => {
    const app = await fresh(t)
    const fill = (count: number, status: string) =>
      sql(
        app.database,
        `INSERT INTO invitations (workspace_id, id, email, role, token_hash, created_by, status,
                                  expires_at, ended_at)
         SELECT $1::uuid, gen_random_uuid(), n || $3 || '@example.com', 'viewer',
                sha256(($1::text || n || $3)::bytea), 'test', $3, now() + interval '1 day',
                CASE WHEN $3 <> 'pending' THEN now() END
         FROM generate_series(1, $2::int) AS n`,
        [app.seed.uuid, count, status],
      )
    await fill(MAX_PENDING, 'pending')
    const full = await invite(app, 'one@example.com')
    assert.deepEqual([full.status, full.body.limit?.name], [409, 'pending_invitations'])
    await sql(app.database, `DELETE FROM invitations WHERE workspace_id = $1`, [app.seed.uuid])
    await fill(MAX_A_DAY, 'revoked')
    const spent = await invite(app, 'one@example.com')
    assert.deepEqual([spent.status, spent.body.limit?.name], [409, 'invitations_a_day'])
  })

  test('an address with separators or line breaks is refused', async (t) => {
    const app = await fresh(t)
    for (const email of [
      'a@example.com,b@example.com',
      'a@example.com\r\nBcc: b@example.com',
      'Ada <a@example.com>',
      'a@[127.0.0.1]',
      'å@example.com',
    ]) {
      const { status, body } = await invite(app, email)
      assert.deepEqual([status, body.errors?.[0].pointer], [400, '/email'], email)
    }
  })
})
