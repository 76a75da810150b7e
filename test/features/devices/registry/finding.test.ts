/** How many devices pass a filter, and which values they have, at bounded cost. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { insertLabels } from '../../../support/device-rows.ts'
import { useTenants } from '../../../support/suite-app.ts'

const get = ({ call, seed }: TestApp, path: string): Promise<CallResult> =>
  call('GET', `/workspaces/${seed.id}/devices/${path}`, { as: as.platformKey(seed.platformKey) })

const count = (app: TestApp, filter: string): Promise<CallResult> =>
  get(app, `count?filter=${encodeURIComponent(filter)}`)

/** Devices of 300 lines, all at one site. */
async function insertMany({ app, seed }: TestApp, many: number): Promise<void> {
  await app.database.pool.query(
    `INSERT INTO devices (workspace_id, id, device_key, name, tags)
     SELECT $1, gen_random_uuid(), 'many-' || n, 'many-' || n,
       jsonb_build_object('line', 'l' || n % 300, 'site', 'north')
     FROM generate_series(1, $2::int) AS n`,
    [seed.uuid, many],
  )
  await app.database.pool.query(insertLabels())
}

async function create(app: TestApp, device_key: string, more: object): Promise<void> {
  const { call, seed } = app
  const response = await call('POST', `/workspaces/${seed.id}/devices`, {
    as: as.platformKey(seed.platformKey),
    body: { device_key, ...more },
  })
  assert.equal(response.status, 201, response.text)
}

interface Facet {
  value: unknown
  devices: { value: number; is_lower_bound: boolean }
}

const pairsOf = ({ body, text, status }: CallResult): [unknown, number][] => {
  assert.equal(status, 200, text)
  return (body.values as Facet[]).map(({ value, devices }) => [value, devices.value])
}

suite('finding devices', () => {
  const tenant = useTenants()

  test('a count takes the parameters of the list, and all of them must hold', async (t) => {
    const app = await tenant(t)
    await create(app, 'a-1', { tags: { floor: 'ground' } })
    await create(app, 'a-2', { tags: { floor: 'first' } })
    await create(app, 'b-1', { tags: { floor: 'ground' } })
    for (const [query, expected] of [
      ['', 3],
      ['?q=a', 2],
      ['?tag=floor:ground', 2],
      ['?tag=floor&status=registered&connected=false&claimed=false', 3],
      [`?q=a&filter=${encodeURIComponent('tags.floor = ground')}`, 1],
      [`?filter=${encodeURIComponent('status = active OR device_key = "b*"')}`, 1],
    ] as const) {
      const { status, body, text } = await get(app, `count${query}`)
      assert.equal(status, 200, text)
      assert.deepEqual(body, { value: expected, is_lower_bound: false }, query)
    }
    const { status, body } = await count(app, 'status = ')
    assert.equal(status, 400)
    assert.equal(body.errors[0].pointer, '/query/filter')
  })

  test('values are counted up to 1,000, and at most 200 are examined', async (t) => {
    const app = await tenant(t)
    await insertMany(app, 1_100)
    const rare = await count(app, 'status = registered AND tags.line = l7')
    assert.deepEqual(rare.body, { value: 4, is_lower_bound: false })
    const sites = await get(app, 'facets?field=tags.site')
    assert.deepEqual(sites.body.values, [
      { value: 'north', devices: { value: 1_000, is_lower_bound: true } },
    ])
    const lines = await get(app, 'facets?field=tags.line&limit=200')
    assert.equal(lines.body.values.length, 200)
    assert.ok(lines.body.has_more)
    const some = await get(app, 'facets?field=tags.line&prefix=l29&order=value')
    assert.equal(some.body.values.length, 11)
    assert.equal(some.body.has_more, false)
  })

  test('the names and values of tags are listed with the number of devices', async (t) => {
    const app = await tenant(t)
    await create(app, 'd-1', { tags: { floor: 'ground', 'floor.room': 'x', a: '=>' } })
    await create(app, 'd-2', { tags: { floor: 'first' } })
    await create(app, 'd-3', { tags: { floor: 'ground', zone: '' } })
    assert.deepEqual(pairsOf(await get(app, 'facets?field=tags')), [
      ['floor', 3],
      ['a', 1],
      ['floor.room', 1],
      ['zone', 1],
    ])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=tags&prefix=fl&order=value')), [
      ['floor.room', 1],
      ['floor', 3],
    ])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=tags.floor')), [
      ['ground', 2],
      ['first', 1],
    ])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=tags.floor&prefix=fi')), [['first', 1]])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=tags.a')), [['=>', 1]])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=tags.zone')), [['', 1]])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=tags.nothing')), [])
    const one = await get(app, 'facets?field=tags&limit=1')
    assert.deepEqual(pairsOf(one), [['floor', 3]])
    assert.ok(one.body.has_more)
  })

  test('custom fields have numbers, booleans and texts as values', async (t) => {
    const app = await tenant(t)
    const { pool } = app.app.database
    const values = [20, -1.5, 0, 0.1, true, false, 'true', 'ground', null, [1]]
    for (const [index, value] of values.entries()) {
      await pool.query(
        `INSERT INTO devices (workspace_id, id, device_key, name, custom_fields)
         VALUES ($1, gen_random_uuid(), 'c-' || $2::int, 'x', $3)`,
        [app.seed.uuid, index, JSON.stringify({ mixed: value })],
      )
    }
    await pool.query(insertLabels())
    const all = pairsOf(await get(app, 'facets?field=custom_fields.mixed&order=value'))
    const shown = all.map(([value]) => value)
    assert.deepEqual(shown, [false, true, -1.5, 0, 0.1, 20, 'ground', 'true'])
    const begun = pairsOf(await get(app, 'facets?field=custom_fields.mixed&prefix=tr'))
    assert.deepEqual(begun, [
      [true, 1],
      ['true', 1],
    ])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=custom_fields')), [['mixed', 9]])
  })

  test('fields with few values, and templates, are listed with what occurs', async (t) => {
    const app = await tenant(t)
    const template_id = app.seed.template.id
    await create(app, 'e-1', { template_id })
    await create(app, 'e-2', {})
    assert.deepEqual(pairsOf(await get(app, 'facets?field=status')), [['registered', 2]])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=approval')), [['approved', 2]])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=connected')), [['false', 2]])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=template_id')), [[template_id, 1]])
    assert.deepEqual(pairsOf(await get(app, 'facets?field=status&prefix=act')), [])
  })

  test('a field without facets is refused with those that have them', async (t) => {
    const app = await tenant(t)
    for (const field of ['device_key', 'group', 'tags.', 'tags.ü', 'nothing', 'status.x']) {
      const { status, body } = await get(app, `facets?field=${encodeURIComponent(field)}`)
      assert.equal(status, 400, field)
      assert.match(body.errors[0].message, /template_id/)
    }
  })

  test('devices of another workspace are neither counted nor listed', async (t) => {
    const [app, other] = [await tenant(t), await tenant(t)]
    await create(other, 'f-1', { tags: { secret: 'x' }, template_id: other.seed.template.id })
    assert.equal((await get(app, 'count')).body.value, 0)
    for (const field of ['tags', 'tags.secret', 'template_id', 'status']) {
      assert.deepEqual(pairsOf(await get(app, `facets?field=${field}`)), [], field)
    }
  })
})
