/** GET …/devices/export, and that an import takes what it gives. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import { defineFields } from '../../../support/custom-fields.ts'
import { useTenants } from '../../../support/suite-app.ts'
import {
  type Exported,
  exportFile,
  exportRows,
  importRows,
  sendFile,
  tally,
} from '../../../support/transfers.ts'

const freshTenants = useTenants()

const ODD = {
  device_key: 'ODD-1',
  hardware_id: '=cmd|calc',
  name: '\'=SUM(A1), "quoted" Größe 😀',
  model_key: 'sensor',
  tags: { 'a.b': 'x,y', empty: '', formula: '=1+1' },
  custom_fields: { battery: 3.5, text: '42', nested: { list: [1, null, 'é'] } },
  config: { interval: 5, text: 'line\nbreak' },
}

const fleet = (count: number) => [
  ODD,
  { device_key: 'BARE-1' },
  ...Array.from({ length: count }, (_, index) => ({
    device_key: `K-${index}`,
    name: `-${index}`,
    tags: { floor: String(index) },
  })),
]

async function freshTenant(t: Parameters<typeof freshTenants>[0]): Promise<TestApp> {
  const app = await freshTenants(t)
  const { uuid, other } = app.seed
  for (const workspaceId of [uuid, other.uuid]) {
    const fields = { battery: 'json', text: 'string', nested: 'json', note: 'string' } as const
    await defineFields(app, fields, workspaceId)
  }
  return app
}

/** The properties of a device, apart from those of the one workspace and of time. */
const essence = (rows: readonly Exported[]) =>
  rows
    .map(({ device_key, name, hardware_id, model_key, tags, custom_fields, config }) => ({
      device_key,
      name,
      hardware_id,
      model_key,
      tags,
      custom_fields,
      config,
    }))
    .toSorted((one, other) => (one.device_key < other.device_key ? -1 : 1))

async function moved(app: TestApp, text: string, type: string) {
  const response = await sendFile(app, text, { workspace: app.seed.other, type })
  assert.equal(response.status, 200, response.text)
  const results = response.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { results, rows: await exportRows(app, app.seed.other) }
}

describe('GET …/devices/export', () => {
  for (const [format, type] of [
    ['ndjson', 'application/x-ndjson'],
    ['csv', 'text/csv'],
  ] as const) {
    test(`an export as ${format} makes the same devices in another workspace`, async (t) => {
      const app = await freshTenant(t)
      await importRows(app, fleet(1_000))
      const own = await exportRows(app, app.seed)
      assert.equal(own.length, 1_002)
      assert.deepEqual(own[0]?.custom_fields, ODD.custom_fields)
      const text = await exportFile(app, app.seed, `?format=${format}`)
      const { results, rows } = await moved(app, text, type)
      assert.deepEqual(tally(results), { created: 1_002 })
      assert.deepEqual(essence(rows), essence(own))
      const again = await moved(app, text, type)
      assert.deepEqual(tally(again.results), { unchanged: 1_002 })
    })
  }

  test('an export holds no secret, and only devices of the workspace', async (t) => {
    const app = await freshTenant(t)
    await importRows(app, [{ device_key: 'OTHER' }], { workspace: app.seed.other })
    await importRows(app, [ODD], { query: '?credentials=true' })
    for (const format of ['ndjson', 'csv']) {
      const text = await exportFile(app, app.seed, `?format=${format}`)
      assert.match(text, /ODD-1/)
      assert.doesNotMatch(text, /OTHER|mqp_|dht_|secret|hash/)
    }
    const [row] = await exportRows(app, app.seed)
    assert.equal(row?.template_id, app.seed.template.id)
    assert.equal(row?.model_key, 'sensor')
    assert.equal(row?.status, 'registered')
  })

  test('an export holds only what passes the filter', async (t) => {
    const app = await freshTenant(t)
    await importRows(app, fleet(40).slice(1))
    const query = (filter: string): string => `?filter=${encodeURIComponent(filter)}`
    const keys = async (filter: string): Promise<string[]> =>
      (await exportRows(app, app.seed, query(filter))).map(({ device_key }) => device_key)
    assert.deepEqual(await keys('tags.floor = "7"'), ['K-7'])
    assert.deepEqual((await keys('device_key = "K-3*"')).toSorted(), [
      'K-3',
      ...Array.from({ length: 10 }, (_, digit) => `K-3${digit}`),
    ])
    assert.equal((await keys('NOT tags.floor = "7"')).length, 40)
    const bad = await app.call('GET', `/workspaces/${app.seed.id}/devices/export${query('?')}`, {
      as: as.platformKey(app.seed.platformKey),
    })
    assert.equal(bad.status, 400)
    assert.equal(bad.body.errors[0].pointer, '/query/filter')
  })

  test('no cell of a table begins like a formula', async (t) => {
    const app = await freshTenant(t)
    await importRows(app, [
      ODD,
      ...['=', '+', '-', '@'].map((sign) => ({
        device_key: `N${sign.charCodeAt(0)}`,
        name: `${sign}1`,
      })),
    ])
    const text = await exportFile(app, app.seed, '?format=csv')
    assert.doesNotMatch(text, /(?:^|[,\r\n])"?[=+\-@\t]/)
    assert.match(text, /'-1/)
  })

  test('a workspace without devices has an export all the same', async (t) => {
    const app = await freshTenant(t)
    assert.equal(await exportFile(app, app.seed), '')
    const csv = await exportFile(app, app.seed, '?format=csv')
    assert.match(csv, /^device_key,name,[a-z_,]+\r\n$/)
  })
})

describe('CSV', () => {
  test('a column may be one tag, one custom field or one setting', async (t) => {
    const app = await freshTenant(t)
    const csv = [
      '\ufeffdevice_key,name,tags.floor,tags.a.b,custom_fields.battery,custom_fields.note,config.on',
      'A,"Kitchen, north",1,x,3.5,007,true',
      'B,,,,"{""deep"": [1]}","""42""",',
      "C,'=1,'+2,,null,'-3,false",
    ]
    const results = await importRows(app, csv.join('\r\n'))
    assert.deepEqual(tally(results), { created: 3 })
    const rows = essence(await exportRows(app, app.seed))
    const bare = { hardware_id: null, model_key: null }
    assert.deepEqual(rows, [
      {
        device_key: 'A',
        name: 'Kitchen, north',
        ...bare,
        tags: { floor: '1', 'a.b': 'x' },
        custom_fields: { battery: 3.5, note: '007' },
        config: { on: true },
      },
      {
        device_key: 'B',
        name: 'B',
        ...bare,
        tags: {},
        custom_fields: { battery: { deep: [1] }, note: '42' },
        config: {},
      },
      {
        device_key: 'C',
        name: '=1',
        ...bare,
        tags: { floor: '+2' },
        custom_fields: { note: '-3' },
        config: { on: false },
      },
    ])
  })

  test('a cell is what the definition of its custom field wants', async (t) => {
    const app = await freshTenant(t)
    await defineFields(app, { size: 'number', serial: 'string' })
    const csv = 'device_key,custom_fields.size,custom_fields.serial\nA,1.50,42\nB,2,0.10\nC,x,1\n'
    const results = await importRows(app, csv)
    assert.deepEqual(tally(results), { created: 2, failed: 1 })
    assert.equal(results[2]?.errors?.[0]?.pointer, '/custom_fields/size')
    const rows = await exportRows(app, app.seed)
    assert.deepEqual(
      rows.map(({ custom_fields }) => custom_fields),
      [
        { size: 1.5, serial: '42' },
        { size: 2, serial: '0.10' },
      ],
    )
    assert.deepEqual(tally(await importRows(app, csv)), { unchanged: 2, failed: 1 })
  })

  test('an empty cell leaves a device as it is', async (t) => {
    const app = await freshTenant(t)
    await importRows(app, [{ device_key: 'A', name: 'One', tags: { floor: '1' } }])
    const results = await importRows(app, 'device_key,name,tags,tags.floor\nA,,,\n')
    assert.deepEqual(tally(results), { unchanged: 1 })
  })

  test('an unknown column is refused before anything is written', async (t) => {
    const app = await freshTenant(t)
    for (const name of ['surprise', 'tag.floor', 'tags.', 'Device_Key', 'tags.__proto__']) {
      const response = await sendFile(app, `device_key,${name}\nA,1\n`, { type: 'text/csv' })
      assert.equal(response.status, 400)
      assert.equal(response.body.code, 'invalid_request')
      assert.equal(response.body.errors[0].pointer, `/${name}`)
    }
    const twice = await sendFile(app, 'device_key,device_key\nA,B\n', { type: 'text/csv' })
    assert.equal(twice.body.errors[0].message, 'is a column twice')
    const wide = Array.from({ length: 1_001 }, (_, at) => `tags.t${at}`).join()
    const broad = await sendFile(app, `${wide}\n`, { type: 'text/csv' })
    assert.deepEqual([broad.status, broad.body.errors?.[0]?.pointer], [400, '/tags.t1000'])
    const none = await sendFile(app, '', { type: 'text/csv; charset=utf-8' })
    assert.equal(none.body.code, 'malformed_csv')
    const latin = await sendFile(app, 'device_key\nA\n', { type: 'text/csv; charset=iso-8859-1' })
    assert.equal(latin.status, 415)
    assert.deepEqual(await exportRows(app, app.seed), [])
  })

  test('an invalid row of a table fails alone', async (t) => {
    const app = await freshTenant(t)
    const csv =
      'device_key,tags,tags.floor\nA,{,\nB,[],\nC\nD,,1,2\nE,"{""floor"":""1"",""b"":""2""}",3\n'
    const results = await importRows(app, csv)
    assert.deepEqual(
      results.map(({ line, status, code }) => [line, code ?? status]),
      [
        [2, 'malformed_json'],
        [3, 'invalid_request'],
        [4, 'malformed_csv'],
        [5, 'malformed_csv'],
        [6, 'created'],
      ],
    )
    const [row] = await exportRows(app, app.seed)
    assert.deepEqual(row?.tags, { floor: '3', b: '2' })
  })
})
