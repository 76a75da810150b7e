/** Anchors over HTTP: made on request, listed, published as events and in a file, and verified. */
import assert from 'node:assert/strict'
import { createPublicKey, verify as verifyBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { readCompactJws } from '../../../../src/platform/access/compact-jws.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'anchors-'))
const file = join(folder, 'anchors.ndjson')
after(() => rmSync(folder, { recursive: true }))

const callerOf = ({ seed }: TestApp) => ({ as: as.platformKey(seed.platformKey) })

async function anchored(app: TestApp) {
  await app.call('PATCH', `/workspaces/${app.seed.id}`, {
    ...callerOf(app),
    body: { name: 'Renamed' },
  })
  const path = `/workspaces/${app.seed.id}/audit-log/anchors`
  await until('an entry is chained', async () => {
    const { body } = await app.call('GET', path.replace('anchors', 'verify'), callerOf(app))
    return body.sealed_to_seq === 1
  })
  const made = await app.call('POST', path, callerOf(app))
  assert.equal(made.status, 201, made.text)
  return { path, anchor: made.body }
}

suite('anchors of an audit log', () => {
  const freshTenants = useTenants({ environment: { MOORING_AUDIT_ANCHOR_FILE: file } })

  test('an anchor is created on request, and published as an event, in the list and in the file', async (t) => {
    const app = await freshTenants(t)
    const { path, anchor } = await anchored(app)
    const { workspace_id, jws, ...rest } = anchor
    assert.equal(workspace_id, app.seed.id)
    const listed = await app.call('GET', path, callerOf(app))
    assert.deepEqual(listed.body, { items: [anchor], next_cursor: null })
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    const received = lines.map((line) => JSON.parse(line))
    assert.deepEqual(
      received.filter((each) => each.workspace_id === app.seed.id),
      [anchor],
    )
    const events = await sql<{ data: unknown }>(
      app.database,
      `SELECT data FROM events WHERE workspace_id = $1 AND type = 'audit.anchored'`,
      [app.seed.uuid],
    )
    assert.deepEqual(events, [{ data: { ...rest, jws } }])
    const keys = await fetch(`${app.origin}/.well-known/audit-jwks.json`)
    const {
      keys: [jwk],
    } = (await keys.json()) as { keys: { kid: string }[] }
    const read = readCompactJws(jws)
    assert.ok(jwk !== undefined && read !== undefined)
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
    assert.ok(verifyBytes(null, read.signingInput, key, read.signature))
    assert.deepEqual(JSON.parse(read.payload.toString()), { workspace_id, ...rest })
  })

  test('concurrent requests create one anchor, and all return it', async (t) => {
    const app = await freshTenants(t)
    // Nothing is chained meanwhile, so the head stays where it is.
    const { path } = await anchored(app)
    await sql(app.database, 'DELETE FROM audit_anchors WHERE workspace_id = $1', [app.seed.uuid])
    await app.database.transaction(async (trx) => {
      await sql(trx, 'SELECT 1 FROM audit_chains WHERE workspace_id = $1 FOR UPDATE', [
        app.seed.uuid,
      ])
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => app.call('POST', path, callerOf(app))),
      )
      const statuses = responses.map(({ status }) => status).sort((one, other) => one - other)
      assert.deepEqual(statuses, [...Array.from({ length: 7 }, () => 200), 201])
      assert.equal(new Set(responses.map(({ body }) => body.jws)).size, 1)
    })
  })

  test('the verification finds an anchor again, or says that it is gone', async (t) => {
    const app = await freshTenants(t)
    const { path, anchor } = await anchored(app)
    const verify = async (query: string) =>
      app.call('GET', `${path.replace('anchors', 'verify')}?${query}`, callerOf(app))
    const good = await verify(`anchor_seq=${anchor.seq}&anchor_hash=${anchor.hash}`)
    assert.deepEqual([good.body.valid, good.body.anchor], [true, 'contained'])
    const bad = await verify(`anchor_seq=${anchor.seq}&anchor_hash=${'0'.repeat(64)}`)
    assert.deepEqual(
      [bad.body.valid, bad.body.reason, bad.body.anchor],
      [false, 'anchor_missing', 'missing'],
    )
    for (const [query, pointer] of [
      [`anchor_hash=${anchor.hash}`, '/query/anchor_seq'],
      ['anchor_seq=1', '/query/anchor_hash'],
    ] as const) {
      const half = await verify(query)
      assert.equal(half.status, 400)
      assert.equal(half.body.errors[0].pointer, pointer)
    }
  })

  test('without a chained entry there is nothing to anchor, and a forged head is not', async (t) => {
    const app = await freshTenants(t)
    const path = `/workspaces/${app.seed.id}/audit-log/anchors`
    const empty = await app.call('POST', path, callerOf(app))
    assert.equal(empty.status, 409)
    assert.equal(empty.body.code, 'audit_log_empty')
    await anchored(app)
    await sql(
      app.database,
      'UPDATE audit_chains SET mac = sha256(mac), seq = seq + 1 WHERE workspace_id = $1',
      [app.seed.uuid],
    )
    const forged = await app.call('POST', path, callerOf(app))
    assert.equal(forged.status, 409)
    assert.equal(forged.body.code, 'audit_chain_broken')
  })
})

test('heads are anchored periodically, without a request', async (t) => {
  const app = await startApp(t, {
    environment: { MOORING_AUDIT_ANCHOR_INTERVAL_S: '1' },
  })
  const path = `/workspaces/${app.seed.id}`
  await app.call('PATCH', path, { ...callerOf(app), body: { name: 'Renamed' } })
  await until('the head is anchored', async () => {
    const { body } = await app.call('GET', `${path}/audit-log/anchors`, callerOf(app))
    return body.items.length > 0
  })
  const [events] = await sql<{ n: number }>(
    app.database,
    `SELECT count(*) AS n FROM events WHERE workspace_id = $1 AND type = 'audit.anchored'`,
    [app.seed.uuid],
  )
  assert.equal(events?.n, 1)
})
