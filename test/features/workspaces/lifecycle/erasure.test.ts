/** The erasure of workspaces: everything of them, nothing of others, and the proof. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test, type TestContext } from 'node:test'
import {
  eraseWorkspaces,
  inOrder,
} from '../../../../src/features/workspaces/lifecycle/workspace-erasure.ts'
import { createChainAppender } from '../../../../src/features/audit/log/chain-appender.ts'
import { connectDatabase, type Database } from '../../../../src/platform/database/connect.ts'
import { INSTALLATION } from '../../../../src/platform/record/event.ts'
import type { AllServices } from '../../../../src/operations.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { sql } from '../../../support/audit-chain.ts'
import { newDevices, newPhone } from '../../../support/phones-and-devices.ts'
import { mailTo } from '../../../support/outbox.ts'
import { seedUser, type SeededWorkspace } from '../../../support/seed.ts'
import { seedTenant } from '../../../support/tenants.ts'
import { addDomain } from '../../../support/domain-tls.ts'
import { until } from '../../../support/until.ts'

/** Rows that are gone by themselves after an hour or a day, long before an erasure. */
const SHORT_LIVED = ['changes', 'rate_limits', 'idempotency_keys']

const tables = async (app: Pick<TestApp, 'database'>): Promise<string[]> => {
  const rows = await sql<{ name: string }>(
    app.database,
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n
       ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname !~ '^pg_|information_schema' ORDER BY 1`,
  )
  return rows.map(({ name }) => name).filter((name) => !SHORT_LIVED.includes(name))
}

/** Rows that hold one of the texts anywhere, as `table: row`. */
async function rowsWith(
  app: Pick<TestApp, 'database'>,
  texts: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  for (const table of await tables(app)) {
    const rows = await sql<{ row: string }>(
      app.database,
      `SELECT t::text AS row FROM ${table} t WHERE t::text ILIKE ANY ($1)`,
      [texts.map((text) => `%${text}%`)],
    )
    found.push(...rows.map(({ row }) => `${table}: ${row}`))
  }
  return found
}

/** A workspace with a row in every table that can hold one of it. */
async function populate(app: TestApp, workspace: SeededWorkspace, invitee: string) {
  await seedTenant(app, workspace)
  const factory = { as: as.factory(workspace.provisionKey) }
  const registered = await app.call('POST', '/provision/device', {
    ...factory,
    body: { template_id: workspace.template.id, hardware_id: `hw-${workspace.slug}` },
  })
  assert.equal(registered.status, 201, registered.text)
  await newPhone(app, workspace.id)
  const phone = await newPhone(app)
  const claim = await phone.call('POST', '/moid/claims', { workspace_id: workspace.id })
  const [device] = await newDevices(app, 1, workspace)
  assert.equal((await device?.bind(claim.body.claim_code))?.status, 200)
  const owner = { as: as.user(workspace.owner.token) }
  await seedUser(app.app, { [workspace.uuid]: 'viewer' })
  const invited = await app.call('POST', `/workspaces/${workspace.id}/invitations`, {
    ...owner,
    body: { email: invitee, role: 'member' },
  })
  assert.equal(invited.status, 201, invited.text)
  await app.call('PATCH', `/workspaces/${workspace.id}`, { ...owner, body: { name: 'Renamed' } })
  const isMailed = async () => (await mailTo(app, invitee))[0]?.status === 'kept'
  await until('the mail is processed', isMailed)
}

const remove = async (app: TestApp, { id, slug, owner }: SeededWorkspace): Promise<void> => {
  const { status, text } = await app.call('DELETE', `/workspaces/${id}`, {
    as: as.user(owner.token),
    body: { confirm: slug },
  })
  assert.equal(status, 202, text)
}

async function makeDue(app: TestApp, { uuid }: SeededWorkspace): Promise<void> {
  // A write due a moment later may come just before the end, which is refused.
  await app.services.usage.flush()
  await appendAll(app, app.services)
  await sql(app.database, `UPDATE workspaces SET erase_at = now() WHERE id = $1`, [uuid])
}

const checksum = async (
  app: Pick<TestApp, 'database'>,
  workspace: SeededWorkspace,
): Promise<string> => {
  const rows = await rowsWith(app, [workspace.uuid, workspace.id, workspace.slug])
  return createHash('sha256').update(rows.toSorted().join('\n')).digest('hex')
}

const complain = (error: unknown): never => {
  throw error
}

/** The work that the service had not finished before it was closed. */
const appendAll = ({ database }: Pick<TestApp, 'database'>, { keyring }: AllServices) =>
  createChainAppender({ db: database, keyring, onError: complain }).append()

const erasedEntries = (app: Pick<TestApp, 'database'>) =>
  sql<{ detail: Record<string, unknown> }>(
    app.database,
    `SELECT detail FROM audit_log WHERE workspace_id = $1 AND action = 'workspace.erased'`,
    [INSTALLATION],
  )

function openAlone(
  t: TestContext,
  connection: TestApp['connection'],
  statementTimeoutMs = 30_000,
): Database {
  const database = connectDatabase({
    connection,
    poolSize: 2,
    prepared: true,
    statementTimeoutMs,
    acquireTimeoutMs: 30_000,
  })
  defer(t, () => database.close())
  return database
}

const { signal: never } = new AbortController()

suite('the erasure of a workspace', () => {
  const start = (t: TestContext) => startApp(t)

  test('deletes all of its data, and none of another workspace', async (t) => {
    const app = await start(t)
    const { seed } = app
    await populate(app, seed, 'gone@example.org')
    await populate(app, seed.other, 'stays@example.org')
    const withRows = await rowsWith(app, [seed.uuid])
    const kinds = new Set(withRows.map((row) => row.slice(0, row.indexOf(':'))))
    assert.ok(kinds.size >= 12, [...kinds].join(' '))
    await remove(app, seed)
    assert.equal(await eraseWorkspaces(app.database, never, 0), 0, 'the erasure is not due yet')
    await makeDue(app, seed)
    await app.close()
    // A running service would change rows of the neighbour meanwhile.
    const quiet = { database: openAlone(t, app.connection) }
    await appendAll(quiet, app.services)
    const before = await checksum(quiet, seed.other)
    assert.equal(await eraseWorkspaces(quiet.database, never, 0), 1)
    const left = await rowsWith(quiet, [seed.uuid, seed.id, seed.slug, 'gone@example.org'])
    assert.deepEqual(left, [])
    assert.equal(await checksum(quiet, seed.other), before)
    const [entry, more] = await erasedEntries(quiet)
    assert.equal(more, undefined)
    const { detail } = entry as { detail: Record<string, unknown> }
    assert.equal(detail.workspace_sha256, createHash('sha256').update(seed.id).digest('hex'))
    const rows = detail.rows as Record<string, number>
    assert.ok(rows.devices === 3 && (rows.audit_log ?? 0) > 5, JSON.stringify(rows))
    assert.match(String(detail.audit_head_sha256), /^[0-9a-f]{64}$/)
    const { connection, masterKey } = app
    const next = await startApp(t, { connection, masterKey, seed })
    const again = await next.call('POST', '/workspaces', {
      as: as.user(seed.other.owner.token),
      body: { name: 'Next', slug: seed.slug },
    })
    assert.equal(again.status, 201, 'the slug is free')
  })

  test('continues where one was stopped, and counts every row once', async (t) => {
    const app = await start(t)
    const { seed, database } = app
    await populate(app, seed, 'gone@example.org')
    await remove(app, seed)
    await makeDue(app, seed)
    // A signal that is up ends it before the first batch; each run then does a little.
    assert.equal(await eraseWorkspaces(database, AbortSignal.abort(), 0), 0)
    let asked = 0
    const impatient = {
      get aborted() {
        asked += 1
        return asked % 3 === 0
      },
    } as AbortSignal
    const [before] = await sql<{ n: number }>(
      database,
      'SELECT count(*) AS n FROM device_secrets WHERE workspace_id = $1',
      [seed.uuid],
    )
    let runs = 0
    for (let erased = 0; erased === 0; runs += 1) {
      erased = await eraseWorkspaces(database, impatient, 0)
    }
    assert.ok(runs > 2, String(runs))
    const [entry] = await erasedEntries(app)
    const rows = entry?.detail.rows as Record<string, number>
    assert.equal(rows.device_secrets, Number(before?.n))
  })

  test('by concurrent processes happens once, and keeps the names of others', async (t) => {
    const app = await start(t)
    const { other } = app.seed
    await populate(app, app.seed, 'gone@example.org')
    const { name } = await addDomain(app, 'devices.example.com')
    await addDomain({ ...app, seed: { ...other, other: app.seed } }, name, 'lapsed')
    const owner = async () => (await app.services.domains.find(name))?.workspaceId
    assert.equal(await owner(), app.seed.uuid)
    await remove(app, app.seed)
    await makeDue(app, app.seed)
    const runs = Array.from({ length: 6 }, () => eraseWorkspaces(app.database, never, 0))
    let erased = (await Promise.all(runs)).reduce((sum, each) => sum + each, 0)
    erased += await eraseWorkspaces(app.database, never, 0)
    assert.equal(erased, 1)
    assert.equal((await erasedEntries(app)).length, 1)
    const received = `SELECT FROM changes WHERE kind = 'domain' AND ref = $1`
    assert.equal((await sql(app.database, received, [app.services.domains.refOf(name)])).length, 1)
    await until('the owner of the name is known', async () => (await owner()) === other.uuid)
  })

  test('deletes fewer rows at a time if a batch takes too long', async (t) => {
    const app = await start(t)
    const { seed, connection } = app
    await sql(
      app.database,
      `INSERT INTO events (workspace_id, id, type, data)
       SELECT $1, gen_random_uuid(), 'device.updated', '{}' FROM generate_series(1, 130)`,
      [seed.uuid],
    )
    for (const text of [
      `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_sleep(0.02); RETURN OLD; END $$`,
      'CREATE TRIGGER dawdle BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION dawdle()',
    ]) {
      await sql(app.database, text)
    }
    await remove(app, seed)
    await makeDue(app, seed)
    assert.equal(await eraseWorkspaces(openAlone(t, connection, 2_000), never, 0), 1)
  })

  test('of one that cannot be erased does not keep the others', async (t) => {
    const app = await start(t)
    const { seed, database } = app
    await remove(app, seed)
    await remove(app, seed.other)
    await makeDue(app, seed)
    await makeDue(app, seed.other)
    for (const text of [
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'this one stays'; END $$`,
      `CREATE TRIGGER refuse BEFORE DELETE ON events FOR EACH ROW
       WHEN (OLD.workspace_id = '${seed.uuid}') EXECUTE FUNCTION refuse()`,
    ]) {
      await sql(database, text)
    }
    await assert.rejects(eraseWorkspaces(database, never, 0), /workspaces stay/)
    const rows = await sql<{ id: string }>(database, 'SELECT id FROM workspaces')
    assert.deepEqual(rows, [{ id: seed.uuid }])
    await sql(database, 'DROP TRIGGER refuse ON events')
    assert.equal(await eraseWorkspaces(database, never, 0), 1)
  })

  test('waits until nothing has been found for a while', async (t) => {
    const app = await start(t)
    await remove(app, app.seed)
    await makeDue(app, app.seed)
    assert.equal(await eraseWorkspaces(app.database, never, 3_600_000), 0)
    const [row] = await sql<{ since: number | null }>(
      app.database,
      `SELECT (erasure->>'clean_since')::bigint AS since FROM workspaces WHERE id = $1`,
      [app.seed.uuid],
    )
    assert.ok(Number(row?.since) > 0)
    await sql(
      app.database,
      `INSERT INTO events (workspace_id, id, type, data)
       VALUES ($1, gen_random_uuid(), 'device.updated', '{}')`,
      [app.seed.uuid],
    )
    assert.equal(await eraseWorkspaces(app.database, never, 3_600_000), 0)
    assert.equal(await eraseWorkspaces(app.database, never, 0), 1)
  })

  test('deletes referring tables first, and the audit log last', () => {
    const references = [
      { child: 'leaf', parent: 'branch' },
      { child: 'branch', parent: 'root' },
      { child: 'branch', parent: 'elsewhere' },
    ]
    const order = inOrder(['audit_chains', 'audit_log', 'branch', 'leaf', 'root'], references)
    assert.deepEqual(order, ['leaf', 'branch', 'root', 'audit_log', 'audit_chains'])
  })
})
