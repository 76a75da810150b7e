/**
 * One credential of every kind, valid and invalid in every way, which the laws send to each
 * operation. Each declares what it is worth, not what an operation makes of it.
 */
import { newSigningKey } from '../../src/platform/access/jwt.ts'
import { issuePaymentToken } from '../../src/platform/access/payment-token.ts'
import type { Role } from '../../src/platform/access/permissions.ts'
import type { CallerKind } from '../../src/platform/access/principal.ts'
import {
  issueRefreshToken,
  type SessionTokenKind,
} from '../../src/platform/access/refresh-tokens.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import {
  DEVICE_TOKEN_PREFIX,
  issueSecret,
  PLATFORM_KEY_PREFIX,
  PROVISION_KEY_PREFIX,
} from '../../src/platform/lib/secrets.ts'
import { HOUR_MS } from '../../src/platform/lib/time.ts'
import type { TestApp } from './app.ts'
import { forge, part } from './forged-tokens.ts'
import { type SeededWorkspace, seedOperator, seedUser } from './seed.ts'
import type { MovingClock } from './sign-in.ts'

/** The principal of a good credential. */
export interface Worth {
  kind: CallerKind
  /** UUID of the workspace that it belongs to, if any. */
  workspaceId?: string
  /** In that workspace. */
  role?: Role
  /** Whether the person proved the password or a second factor long ago. */
  isStale?: true
  /** Whether the service made the password. */
  hasInitialPassword?: true
  /** Whether it is for the document in which a person pays. */
  onlyPays?: true
  /** Whether the account is one of an operator. */
  isOperator?: true
  /** Whether a second factor was proved. */
  hasFactor?: true
  /** Whether it came through the domain of a workspace. */
  isLimited?: true
}

export interface Credential {
  name: string
  text: string
  /** Undefined for one that is not valid. */
  worth?: Worth
}

type AppParts = Pick<TestApp, 'services' | 'database'>

const SALT = Buffer.alloc(16, 7)

export interface SeededDevice {
  /** UUID. */
  uuid: string
  /** `dev_…` */
  id: string
  token: string
}

/** A registered device with an HTTP token that it has confirmed. */
export async function seedDevice(
  { services, database }: AppParts,
  workspace: SeededWorkspace,
  status = 'registered',
): Promise<SeededDevice> {
  const uuid = newUuid()
  const token = issueSecret(DEVICE_TOKEN_PREFIX)
  await database.pool.query(
    `INSERT INTO devices (workspace_id, id, device_key, name, template_id, status)
     VALUES ($1, $2, $3, 'Seed', $4, $5)`,
    [workspace.uuid, uuid, `seed-${uuid}`, workspace.template.uuid, status],
  )
  await database.pool.query(
    `INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
     VALUES ($1, $2, 'http', 1, $3)`,
    [workspace.uuid, uuid, services.keyring.hashSecret(token)],
  )
  return { uuid, id: formatId('dev', uuid), token }
}

export interface SeededMoid {
  /** UUID. */
  uuid: string
  sessionUuid: string
  token: string
}

/** A mobile identity with a live session, locked to a workspace or global. */
export async function seedMoid(
  { services, database }: AppParts,
  workspaceId: string | null = null,
): Promise<SeededMoid> {
  const uuid = newUuid()
  const sessionUuid = newUuid()
  await database.pool.query('INSERT INTO moids (id) VALUES ($1)', [uuid])
  await database.pool.query(
    `INSERT INTO moid_sessions (id, moid_id, workspace_id, salt, expires_at)
     VALUES ($1, $2, $3, $4, now() + interval '180 days')`,
    [sessionUuid, uuid, workspaceId, SALT],
  )
  const claims = { sub: formatId('moid', uuid), sid: formatId('mse', sessionUuid) }
  return { uuid, sessionUuid, token: services.moidTokens.sign(claims, 900) }
}

/** An API key in any state: `columns` are SQL expressions. */
async function seedKey(
  { services, database }: AppParts,
  workspaceId: string,
  kind: 'platform' | 'provision',
  columns: { revoked_at?: string; expires_at?: string } = {},
): Promise<string> {
  const text = issueSecret(kind === 'platform' ? PLATFORM_KEY_PREFIX : PROVISION_KEY_PREFIX)
  await database.pool.query(
    `INSERT INTO api_keys
       (workspace_id, id, kind, name, hash, hint, created_by, revoked_at, expires_at)
     VALUES ($1, $2, $3, 'law', $4, '…', 'law', ${columns.revoked_at ?? 'NULL'},
             ${columns.expires_at ?? 'NULL'})`,
    [workspaceId, newUuid(), kind, services.keyring.hashSecret(text)],
  )
  return text
}

/** Good credentials of every kind, of a workspace and of its neighbour. */
export async function validCredentials(
  app: AppParts,
  own: SeededWorkspace,
  other: SeededWorkspace,
): Promise<Credential[]> {
  const user = async (role: Role): Promise<Credential> => {
    const { token } = await seedUser(app, { [own.uuid]: role })
    const worth = { kind: 'user', workspaceId: own.uuid, role } as const
    return { name: `the token of a user who is ${role}`, text: token, worth }
  }
  const of = (workspace: SeededWorkspace, whose: string): Promise<Credential>[] => {
    const workspaceId = workspace.uuid
    const known = (kind: CallerKind, text: string): Credential => ({
      name: `a ${kind} credential ${whose}`,
      text,
      worth: { kind, workspaceId },
    })
    return [
      seedKey(app, workspaceId, 'platform').then((text) => known('platform-key', text)),
      seedKey(app, workspaceId, 'provision').then((text) => known('provision-key', text)),
      seedDevice(app, workspace).then(({ token }) => known('device', token)),
      seedMoid(app, workspaceId).then(({ token }) => known('moid', token)),
    ]
  }
  const outsider = { kind: 'user', workspaceId: other.uuid, role: 'owner' } as const
  const good = await Promise.all([
    ...(['owner', 'admin', 'member', 'viewer'] as const).map(user),
    seedUser(app, { [own.uuid]: 'owner' }).then(async ({ uuid, token }) => {
      const until = `now() + interval '1 day'`
      await app.database.pool.query(
        `UPDATE users SET initial_password_until = ${until} WHERE id = $1`,
        [uuid],
      )
      const user = { kind: 'user', workspaceId: own.uuid, role: 'owner' } as const
      const worth = { ...user, hasInitialPassword: true } as const
      return { name: 'the token of an owner with an initial password', text: token, worth }
    }),
    seedUser(app, { [own.uuid]: 'owner' }).then(({ id, sessionUuid }) => ({
      name: 'the token of an owner who signed in long ago',
      text: app.services.consoleTokens.sign({ sub: id, sid: formatId('ses', sessionUuid) }, 900),
      worth: { kind: 'user', workspaceId: own.uuid, role: 'owner', isStale: true } as const,
    })),
    seedUser(app, { [own.uuid]: 'owner', [other.uuid]: 'owner' }).then((user) => {
      const { uuid: userId, sessionUuid: sessionId } = user
      const { keyring, clock } = app.services
      const grant = { userId, sessionId, workspaceId: own.uuid }
      const worth = { kind: 'user', workspaceId: own.uuid, role: 'owner' } as const
      return {
        name: 'the payment token of an owner',
        text: issuePaymentToken(keyring, grant, clock.now()),
        worth: { ...worth, onlyPays: true as const },
      }
    }),
    seedUser(app).then(({ token }) => ({
      name: 'the token of a user without workspaces',
      text: token,
      worth: { kind: 'user' } as const,
    })),
    ...of(own, 'of the workspace'),
    ...of(other, 'of another workspace'),
    seedMoid(app).then(({ token }) => ({
      name: 'a global moid credential',
      text: token,
      worth: { kind: 'moid' } as const,
    })),
  ])
  return [
    ...(await operatorCredentials(app, own)),
    {
      name: 'the token of an owner of another workspace',
      text: other.owner.token,
      worth: outsider,
    },
    ...good,
  ]
}

/** Operators of the installation. */
async function operatorCredentials(app: AppParts, own: SeededWorkspace): Promise<Credential[]> {
  const set = (columns: string, sessionId: string) =>
    app.database.pool.query(`UPDATE user_sessions SET ${columns} WHERE id = $1`, [sessionId])
  const whole = await seedOperator(app)
  const bare = await seedOperator(app)
  await set('mfa = false', bare.sessionUuid)
  const stale = await seedOperator(app)
  const claims = { sub: stale.id, sid: formatId('ses', stale.sessionUuid) }
  const limited = await seedOperator(app, { [own.uuid]: 'owner' })
  await set(`limited_to = '${own.uuid}'`, limited.sessionUuid)
  const known = (name: string, text: string, more: Partial<Worth>): Credential => ({
    name: `the token of an operator ${name}`,
    text,
    worth: { kind: 'user', isOperator: true, hasFactor: true, ...more },
  })
  return [
    known('with a second factor', whole.token, {}),
    { ...known('without', bare.token, {}), worth: { kind: 'user', isOperator: true } },
    known('who signed in long ago', app.services.consoleTokens.sign(claims, 900), {
      isStale: true,
    }),
    known('through a domain', limited.token, {
      workspaceId: own.uuid,
      role: 'owner',
      isLimited: true,
    }),
  ]
}

/** Texts that never were credentials of this installation. */
function outsiders(good: string): Credential[] {
  const key = newSigningKey()
  const [header = '', payload = '', signature = ''] = good.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const typ = 'console-at+jwt'
  const unknown = [PLATFORM_KEY_PREFIX, PROVISION_KEY_PREFIX, DEVICE_TOKEN_PREFIX].map(
    (prefix) => ({
      name: `an unknown ${prefix}`,
      text: issueSecret(prefix),
    }),
  )
  return [
    { name: 'one letter', text: 'x' },
    { name: 'three parts of nothing', text: 'a.b.c' },
    { name: 'twenty thousand letters', text: 'x'.repeat(10_000) },
    { name: 'half a platform key', text: PLATFORM_KEY_PREFIX },
    ...unknown,
    { name: 'a token without a signature', text: `${header}.${payload}.` },
    {
      name: 'a token of the algorithm none',
      text: `${part({ alg: 'none', typ, kid })}.${payload}.`,
    },
    {
      name: 'a token signed by somebody else',
      text: forge({ alg: 'EdDSA', typ, kid }, claims, key.privateKey),
    },
    {
      name: 'a token of an unknown key',
      text: forge({ alg: 'EdDSA', typ, kid: key.kid }, claims, key.privateKey),
    },
    {
      name: 'a token with a changed signature',
      text: `${header}.${payload}.A${signature.slice(1)}A`,
    },
  ]
}

/** Credentials that were good, or are valid for something else than to be sent in a header. */
export async function badCredentials(
  app: AppParts,
  clock: MovingClock,
  own: SeededWorkspace,
): Promise<Credential[]> {
  const { services, database } = app
  const { consoleTokens, moidTokens, keyring } = services
  const { pool } = database
  const someone = await seedUser(app, { [own.uuid]: 'owner' })
  const user = { sub: someone.id, sid: formatId('ses', someone.sessionUuid) }
  const phone = await seedMoid(app)
  const moid = { sub: formatId('moid', phone.uuid), sid: formatId('mse', phone.sessionUuid) }
  const ended = await seedUser(app, { [own.uuid]: 'owner' })
  const disabled = await seedUser(app, { [own.uuid]: 'owner' })
  const endedPhone = await seedMoid(app)
  const gone = await seedDevice(app, own, 'decommissioned')
  await pool.query('UPDATE user_sessions SET ended_at = now() WHERE id = $1', [ended.sessionUuid])
  await pool.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [disabled.uuid])
  await pool.query('UPDATE moid_sessions SET ended_at = now() WHERE id = $1', [
    endedPhone.sessionUuid,
  ])
  clock.move(-HOUR_MS)
  const expired = [consoleTokens.sign(user, 900), moidTokens.sign(moid, 900)] as const
  clock.move(HOUR_MS)
  const refresh = (kind: SessionTokenKind): Credential => ({
    name: `a refresh token of the kind ${kind}`,
    text: issueRefreshToken(keyring, kind, someone.sessionUuid, Buffer.alloc(16, 1), 1),
  })
  const revoked = { revoked_at: 'now()' }
  return [
    ...outsiders(someone.token),
    { name: 'an expired user token', text: expired[0] },
    { name: 'an expired moid token', text: expired[1] },
    { name: 'the token of an ended session', text: ended.token },
    { name: 'the token of a disabled account', text: disabled.token },
    { name: 'the token of an ended moid session', text: endedPhone.token },
    { name: 'a moid token that names a user', text: moidTokens.sign(user, 900) },
    { name: 'a user token that names a moid', text: consoleTokens.sign(moid, 900) },
    { name: 'a revoked platform key', text: await seedKey(app, own.uuid, 'platform', revoked) },
    { name: 'a revoked provision key', text: await seedKey(app, own.uuid, 'provision', revoked) },
    {
      name: 'an expired provision key',
      text: await seedKey(app, own.uuid, 'provision', {
        expires_at: `now() - interval '1 hour'`,
      }),
    },
    { name: 'the token of a decommissioned device', text: gone.token },
    refresh('console'),
    refresh('moid'),
    refresh('mfa'),
  ]
}
