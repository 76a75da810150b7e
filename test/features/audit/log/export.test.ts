/** The export: every chained entry, to be verified by anyone who keeps it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { canonicalJson } from '../../../../src/platform/lib/canonical-json.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { entryAt, sql } from '../../../support/audit-chain.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

type Line = Record<string, unknown> & { seq: number; hash: string; occurred_at: string }

const callerOf = ({ seed }: TestApp) => ({ as: as.platformKey(seed.platformKey) })

/** Appends so many entries and waits until they are chained. */
async function fill(app: TestApp, count: number): Promise<void> {
  await sql(
    app.database,
    `INSERT INTO audit_log (workspace_id, id, actor_kind, action, detail, occurred_at)
     SELECT $1, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
                 || '7000' || lpad(to_hex(n), 16, '8'))::uuid,
            'service', 'device.updated', jsonb_build_object('n', n, 'ü', 1.5), at
     FROM (SELECT n, now() - make_interval(mins => $2 - n) AS at
           FROM generate_series(1, $2::integer) n) AS entries`,
    [app.seed.uuid, count],
  )
  const path = `/workspaces/${app.seed.id}/audit-log/verify`
  await until('the log is chained', async () => {
    const { body } = await app.call('GET', path, callerOf(app))
    return body.unsealed === 0 && body.sealed_to_seq >= count
  })
}

async function exported(app: TestApp, query = ''): Promise<Line[]> {
  const path = `/workspaces/${app.seed.id}/audit-log/export${query}`
  const response = await app.call('GET', path, callerOf(app))
  assert.equal(response.status, 200, response.text)
  assert.match(response.headers['content-type'] ?? '', /^application\/x-ndjson/)
  return response.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
}

suite('GET /workspaces/{id}/audit-log/export', () => {
  const freshTenants = useTenants()

  test('an export is verified from its lines alone', async (t) => {
    const app = await freshTenants(t)
    await fill(app, 1_203)
    const lines = await exported(app)
    assert.equal(lines.length, 1_203)
    let hash = createHash('sha256').update(app.seed.id).digest()
    for (const [index, { hash: stored, ...entry }] of lines.entries()) {
      assert.equal(entry.seq, index + 1)
      hash = createHash('sha256').update(hash).update(canonicalJson(entry)).digest()
      assert.equal(hash.toString('hex'), stored)
    }
    const path = `/workspaces/${app.seed.id}/audit-log/verify`
    const { body } = await app.call('GET', path, callerOf(app))
    assert.equal(body.head_hash, lines.at(-1)?.hash)
  })

  test('times and a place limit an export, without a gap', async (t) => {
    const app = await freshTenants(t)
    await fill(app, 50)
    const all = await exported(app)
    const seqs = async (query: string) => (await exported(app, query)).map(({ seq }) => seq)
    const at = (index: number) => encodeURIComponent(all[index]?.occurred_at as string)
    const places = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_none, index) => from + index)
    assert.deepEqual(await seqs(`?from=${at(10)}`), places(11, 50))
    assert.deepEqual(await seqs(`?to=${at(10)}`), places(1, 10))
    assert.deepEqual(await seqs(`?from=${at(10)}&to=${at(20)}`), places(11, 20))
    assert.deepEqual(await seqs('?from_seq=48'), places(48, 50))
    assert.deepEqual(await seqs('?from_seq=51'), [])
    assert.deepEqual(await seqs('?from=2100-01-01T00:00:00Z'), [])
    assert.deepEqual(await seqs('?to=2001-01-01T00:00:00Z'), [])
    const wrong = `/workspaces/${app.seed.id}/audit-log/export?from=2026-02-30T00:00:00Z`
    assert.equal((await app.call('GET', wrong, callerOf(app))).status, 400)
  })

  test('an entry that is missing breaks the export off, rather than being passed over', async (t) => {
    const app = await freshTenants(t)
    await fill(app, 30)
    await sql(app.database, `DELETE FROM audit_log WHERE id = ${entryAt(20)}`, [app.seed.uuid])
    const path = `/workspaces/${app.seed.id}/audit-log/export`
    assert.equal((await app.call('GET', path, callerOf(app))).status, 500)
    assert.equal((await exported(app, '?from_seq=21')).length, 10)
  })
})
