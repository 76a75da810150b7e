/** Another workspace's templates do not exist: by path, by cursor, by any credential. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

test("another workspace's template answers as one that never was", async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const absent = formatId('tpl', newUuid())
  const ids = [seed.other.template.id, absent, 'tpl_', 'x', seed.id, seed.template.uuid]
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { name: 'Mine now' } : undefined
    const responses = await Promise.all(
      ids.map((id) => call(method, `${path}/${id}`, { as: caller, body })),
    )
    const problems = responses.map(({ status, body: { trace_id, instance, ...problem } }) => {
      assert.ok(trace_id && instance)
      return { status, problem }
    })
    assert.equal(problems[0]?.status, 404)
    assert.equal(problems[0].problem.code, 'template_not_found')
    for (const problem of problems) assert.deepEqual(problem, problems[0])
  }
  const theirs = await call('GET', `/workspaces/${seed.other.id}/device-templates`, {
    as: as.platformKey(seed.other.platformKey),
  })
  assert.equal(theirs.body.items[0].name, 'Sensor')
})

test("another workspace's list can't be reached, whatever the path says", async (t) => {
  const { call, seed } = await freshTenants(t)
  const body = { model_key: 'm', name: 'x', serial_format: '%#f' }
  for (const workspace of [seed.other.id, formatId('ws', newUuid())]) {
    const path = `/workspaces/${workspace}/device-templates`
    for (const options of [{}, { body }]) {
      const method = options.body === undefined ? 'GET' : 'POST'
      const response = await call(method, path, {
        as: as.platformKey(seed.platformKey),
        ...options,
      })
      assert.equal(response.status, 404)
      assert.equal(response.body.code, 'workspace_not_found')
    }
  }
})

test('a cursor is valid for its own workspace and filter alone', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const body = { model_key: 'm', name: 'x', serial_format: '%#f' }
  await call('POST', path, { as: caller, body })
  const first = await call('GET', `${path}?limit=1`, { as: caller })
  const cursor = encodeURIComponent(first.body.next_cursor)
  assert.equal((await call('GET', `${path}?cursor=${cursor}`, { as: caller })).status, 200)
  const elsewhere = await call(
    'GET',
    `/workspaces/${seed.other.id}/device-templates?cursor=${cursor}`,
    { as: as.platformKey(seed.other.platformKey) },
  )
  const filtered = await call('GET', `${path}?model_key=m&cursor=${cursor}`, { as: caller })
  const changed = await call('GET', `${path}?cursor=${cursor.replace(/^./, 'A')}A`, { as: caller })
  for (const { status, body: problem } of [elsewhere, filtered, changed]) {
    assert.equal(status, 400)
    assert.equal(problem.code, 'invalid_cursor')
  }
})
