/** Another workspace's devices do not exist: by path, body, filter or cursor. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const OPERATIONS = [
  ['GET', '', undefined],
  ['PATCH', '', { name: 'Mine now', template_id: null }],
  ['DELETE', '', undefined],
  ['GET', '/state', undefined],
  ['PUT', '/state', { state: { mine: true } }],
  ['PATCH', '/state', { state: { mine: true } }],
  ['POST', '/suspend', {}],
  ['POST', '/resume', {}],
  ['POST', '/decommission', {}],
  ['POST', '/disconnect', {}],
  ['POST', '/credentials/reset', {}],
] as const

test("every operation on another workspace's device answers as for one that never was", async (t) => {
  const { call, seed, database } = await freshTenants(t)
  const theirs = as.platformKey(seed.other.platformKey)
  const victim = await call('POST', `/workspaces/${seed.other.id}/devices`, {
    as: theirs,
    body: { device_key: 'victim', template_id: seed.other.template.id },
  })
  const uuid = parseId('dev', victim.body.id) ?? ''
  await call('PUT', `/workspaces/${seed.other.id}/devices/${victim.body.id}/state`, {
    as: theirs,
    body: { state: { theirs: true } },
  })
  const everything = async (): Promise<unknown[]> =>
    Promise.all(
      [
        'devices d WHERE d.id',
        'device_secrets d WHERE device_id',
        'device_states d WHERE device_id',
      ].map((source) =>
        database.query(unnamed(`SELECT d.* FROM ${source} = $1 ORDER BY 1, 2, 3`), [uuid]),
      ),
    )
  const before = await everything()
  const ids = [victim.body.id, formatId('dev', newUuid()), 'dev_x', seed.other.template.id, uuid]
  for (const [method, suffix, body] of OPERATIONS) {
    const problems = []
    for (const id of ids) {
      const { status, body: problem } = await call(
        method,
        `/workspaces/${seed.id}/devices/${id}${suffix}`,
        { as: as.platformKey(seed.platformKey), body },
      )
      const { trace_id, instance, ...rest } = problem
      assert.ok(trace_id && instance)
      problems.push({ status, rest })
    }
    assert.equal(problems[0]?.status, 404, `${method} ${suffix}`)
    assert.equal(problems[0].rest.code, 'device_not_found')
    for (const problem of problems) assert.deepEqual(problem, problems[0])
    // The workspace in the path is not theirs to name either.
    const there = await call(
      method,
      `/workspaces/${seed.other.id}/devices/${victim.body.id}${suffix}`,
      {
        as: as.platformKey(seed.platformKey),
        body,
      },
    )
    assert.equal(there.status, 404)
    assert.equal(there.body.code, 'workspace_not_found')
  }
  assert.deepEqual(await everything(), before)
})

test("another workspace's template is refused as one that never was", async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/devices`
  const { body: device } = await call('POST', path, { as: caller, body: { device_key: 'k' } })
  for (const method of ['POST', 'PATCH'] as const) {
    const [foreign, absent] = await Promise.all(
      [seed.other.template.id, formatId('tpl', newUuid())].map((template_id) =>
        call(method, method === 'POST' ? path : `${path}/${device.id}`, {
          as: caller,
          body: { template_id },
        }),
      ),
    )
    assert.equal(foreign?.status, 400, foreign?.text)
    assert.equal(foreign.body.errors[0].pointer, '/template_id')
    assert.deepEqual({ ...foreign.body, trace_id: '' }, { ...absent?.body, trace_id: '' })
  }
})

test('lists show no device of another workspace, whatever the filter or cursor', async (t) => {
  const { call, seed } = await freshTenants(t)
  const make = (workspace: { id: string; platformKey: string; template: { id: string } }) =>
    call('POST', `/workspaces/${workspace.id}/devices`, {
      as: as.platformKey(workspace.platformKey),
      body: { template_id: workspace.template.id, tags: { env: 'prod' }, name: 'Same name' },
    })
  for (let count = 0; count < 3; count += 1) {
    await make(seed)
    await make(seed.other)
  }
  const mine = `/workspaces/${seed.id}/devices`
  const caller = as.platformKey(seed.platformKey)
  for (const [query, count] of [
    ['', 3],
    ['?tag=env:prod', 3],
    ['?tag=env', 3],
    ['?q=same', 3],
    ['?q=S-', 3],
    [`?template_id=${seed.other.template.id}`, 0],
    [`?template_id=${formatId('tpl', newUuid())}`, 0],
  ] as const) {
    const { body } = await call('GET', `${mine}${query}`, { as: caller })
    assert.equal(body.items.length, count, query)
    for (const item of body.items) assert.equal(item.workspace_id, seed.id)
  }
  const theirs = await call('GET', `/workspaces/${seed.other.id}/devices?limit=1`, {
    as: as.platformKey(seed.other.platformKey),
  })
  const cursor = encodeURIComponent(theirs.body.next_cursor)
  const stolen = await call('GET', `${mine}?limit=1&cursor=${cursor}`, { as: caller })
  assert.equal(stolen.status, 400)
  assert.equal(stolen.body.code, 'invalid_cursor')
})

test('the same key and hardware id live in two workspaces side by side', async (t) => {
  const { call, seed } = await freshTenants(t)
  for (const workspace of [seed, seed.other]) {
    const created = await call('POST', `/workspaces/${workspace.id}/devices`, {
      as: as.platformKey(workspace.platformKey),
      body: { device_key: 'same', hardware_id: 'same' },
    })
    assert.equal(created.status, 201)
  }
})
