/**
 * The usual starting point of a test: an owner, a workspace, keys and a template, written directly
 * to the database, so that tests of one slice do not depend on routes of others.
 */
import type { App } from '../../src/app/app.ts'
import { statement } from './statement.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import {
  issueSecret,
  PLATFORM_KEY_PREFIX,
  PROVISION_KEY_PREFIX,
} from '../../src/platform/lib/secrets.ts'

export interface SeededWorkspace {
  /** UUID. */
  uuid: string
  /** `ws_…` */
  id: string
  slug: string
  owner: { uuid: string; id: string; email: string; sessionUuid: string; token: string }
  platformKey: string
  provisionKey: string
  provisionKeyUuid: string
  template: { uuid: string; id: string }
}

export interface Seed extends SeededWorkspace {
  /** Another tenant with the same things, for isolation. */
  other: SeededWorkspace
}

const insertUser = statement(
  'seed.user',
  `INSERT INTO users (id, email, password_hash) VALUES ($1, $2, '!')`,
)
const insertSession = statement(
  'seed.session',
  `INSERT INTO user_sessions (id, user_id, salt, expires_at)
   VALUES ($1, $2, $3, now() + interval '30 days')`,
)
const markOperator = statement(
  'seed.operator',
  `UPDATE users SET installation_role = 'operator' WHERE id = $1`,
)
const proveFactor = statement('seed.factor', 'UPDATE user_sessions SET mfa = true WHERE id = $1')
const insertWorkspace = statement(
  'seed.workspace',
  'INSERT INTO workspaces (id, name, slug) VALUES ($1, $2, $3)',
)
const insertMember = statement(
  'seed.member',
  'INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3)',
)
const insertKey = statement(
  'seed.key',
  `INSERT INTO api_keys (workspace_id, id, kind, name, hash, hint, created_by)
   VALUES ($1, $2, $3, 'seed', $4, '…', 'seed')`,
)
const insertTemplate = statement(
  'seed.template',
  `WITH template AS (
     INSERT INTO device_templates (workspace_id, id, model_key, name, serial_format)
     VALUES ($1, $2, 'sensor', 'Sensor', 'S-%#f') RETURNING *
   )
   INSERT INTO device_template_versions (workspace_id, template_id, version, fields, changed)
   SELECT workspace_id, id, revision,
          to_jsonb(template) - '{workspace_id,id,model_key,revision,created_at,updated_at}'::text[],
          '{}'
   FROM template`,
)

export interface SeededUser {
  uuid: string
  id: string
  email: string
  sessionUuid: string
  token: string
}

/** An account with a live session; its token holds the given roles. */
export async function seedUser(
  { services, database }: Pick<App, 'services' | 'database'>,
  memberships: Readonly<Record<string, string>> = {},
): Promise<SeededUser> {
  const uuid = newUuid()
  const sessionUuid = newUuid()
  const email = `${uuid.slice(-12)}@example.com`
  await database.query(insertUser, [uuid, email])
  await database.query(insertSession, [sessionUuid, uuid, Buffer.alloc(16, 1)])
  for (const [workspaceId, role] of Object.entries(memberships)) {
    await database.query(insertMember, [workspaceId, uuid, role])
  }
  const workspaces = Object.fromEntries(
    Object.entries(memberships).map(([id, role]) => [formatId('ws', id), role]),
  )
  const id = formatId('usr', uuid)
  const auth_time = Math.floor(services.clock.now() / 1000)
  const claims = { sub: id, sid: formatId('ses', sessionUuid), auth_time, workspaces }
  const token = services.consoleTokens.sign(claims, 900)
  return { uuid, id, email, sessionUuid, token }
}

/** A person who is marked as an operator and has proved a second factor. */
export async function seedOperator(
  app: Pick<App, 'services' | 'database'>,
  memberships: Readonly<Record<string, string>> = {},
): Promise<SeededUser> {
  const user = await seedUser(app, memberships)
  await app.database.query(markOperator, [user.uuid])
  await app.database.query(proveFactor, [user.sessionUuid])
  return user
}

async function seedKey(app: Pick<App, 'services' | 'database'>, workspaceId: string, kind: string) {
  const key = issueSecret(kind === 'platform' ? PLATFORM_KEY_PREFIX : PROVISION_KEY_PREFIX)
  const uuid = newUuid()
  const hash = app.services.keyring.hashSecret(key)
  await app.database.query(insertKey, [workspaceId, uuid, kind, hash])
  return { key, uuid }
}

export async function seedWorkspace(
  app: Pick<App, 'services' | 'database'>,
  slug = `w-${newUuid().slice(-8)}`,
): Promise<SeededWorkspace> {
  const uuid = newUuid()
  await app.database.query(insertWorkspace, [uuid, slug, slug])
  const owner = await seedUser(app, { [uuid]: 'owner' })
  const platform = await seedKey(app, uuid, 'platform')
  const provision = await seedKey(app, uuid, 'provision')
  const template = newUuid()
  await app.database.query(insertTemplate, [uuid, template])
  return {
    uuid,
    id: formatId('ws', uuid),
    slug,
    owner,
    platformKey: platform.key,
    provisionKey: provision.key,
    provisionKeyUuid: provision.uuid,
    template: { uuid: template, id: formatId('tpl', template) },
  }
}

export async function seed(app: Pick<App, 'services' | 'database'>): Promise<Seed> {
  return { ...(await seedWorkspace(app)), other: await seedWorkspace(app) }
}
