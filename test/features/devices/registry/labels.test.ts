/** New devices are found by name, tags and custom fields, whichever statement registered them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sqlStatements } from '../../../../src/platform/database/sql.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { defineFields } from '../../../support/custom-fields.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { importRows } from '../../../support/transfers.ts'

const freshTenants = useTenants()

const LABELS = `
  SELECT d.device_key, array_agg(l.label ORDER BY l.label) AS labels
  FROM devices d JOIN device_labels l ON l.workspace_id = d.workspace_id AND l.device_id = d.id
  WHERE d.workspace_id = $1 GROUP BY d.device_key`

async function labelsOf({ database, seed }: TestApp): Promise<Record<string, string[]>> {
  const { rows } = await database.pool.query<{ device_key: string; labels: string[] }>(LABELS, [
    seed.uuid,
  ])
  return Object.fromEntries(rows.map(({ device_key, labels }) => [device_key, labels]))
}

/** Two devices, of which the second has nothing to be found by. */
const two = (key: string) => [
  { device_key: `${key}-1`, name: 'Cold room', tags: { site: 'north' } },
  { device_key: `${key}-2` },
]
const EXPECTED = ['t:site=north', 'w:cold', 'w:room']

const requested = ({ call, seed }: TestApp, key: string, rows: object[], isRepeatable = false) =>
  Promise.all(
    rows.map((row, index) =>
      call('POST', '/provision/device', {
        as: as.factory(key),
        headers: isRepeatable ? { 'idempotency-key': `"${index}"` } : {},
        body: { template_id: seed.template.id, ...row },
      }),
    ),
  )

const streamed = async ({ call, seed }: TestApp, key: string, rows: object[]) => [
  await call('POST', '/provision/devices', {
    as: as.factory(key),
    headers: { 'content-type': 'application/x-ndjson' },
    body: rows.map((row) => JSON.stringify({ template_id: seed.template.id, ...row })).join('\n'),
  }),
]

async function keyOf({ call, seed }: TestApp, more: object): Promise<string> {
  const { body } = await call('POST', `/workspaces/${seed.id}/api-keys`, {
    as: as.platformKey(seed.platformKey),
    body: { key_kind: 'provision', ...more },
  })
  return body.key
}

test('every statement that inserts devices writes labels or has a variant that does', () => {
  const inserting = [...sqlStatements.values()].filter(({ text }) =>
    /INSERT INTO devices\b/.test(text),
  )
  const hasLabels = (name: string) =>
    /INSERT INTO device_labels\b/.test(sqlStatements.get(name)?.text ?? '')
  const without = inserting.filter(({ name }) => !hasLabels(name) && !hasLabels(`${name}.labels`))
  assert.ok(inserting.length >= 13)
  assert.deepEqual(without, [])
  // The trigger of presence follows a change of the status, and does not see an inserted device.
  const active = inserting.filter(({ text }) => /INSERT INTO devices\b[^)]*\bstatus\b/.test(text))
  assert.deepEqual(active, [])
})

suite('labels of new devices', () => {
  for (const [kind, more] of Object.entries({ 'a key': {}, 'a quota': { device_quota: 100 } })) {
    test(`by ${kind}: one, several at once, with an Idempotency-Key, and a stream`, async (t) => {
      const app = await freshTenants(t)
      const key = await keyOf(app, more)
      const several = Array.from({ length: 20 }, (_, n) => two(`several-${n}`)).flat()
      for (const row of two('one')) await requested(app, key, [row])
      await requested(app, key, several)
      await requested(app, key, two('stored'), true)
      await streamed(app, key, two('stream'))
      const labelled = ['one-1', 'stored-1', 'stream-1']
      for (let n = 0; n < 20; n += 1) labelled.push(`several-${n}-1`)
      const expected = Object.fromEntries(labelled.map((device) => [device, EXPECTED]))
      assert.deepEqual(await labelsOf(app), expected)
    })
  }

  test('by staff and by an import, with custom fields', async (t) => {
    const app = await freshTenants(t)
    const { call, seed } = app
    await defineFields(app, { floor: 'number' })
    const [labelled, plain] = two('staff')
    for (const body of [{ ...labelled, custom_fields: { floor: 3 } }, plain]) {
      const { status, text } = await call('POST', `/workspaces/${seed.id}/devices`, {
        as: as.platformKey(seed.platformKey),
        body,
      })
      assert.equal(status, 201, text)
    }
    await importRows(app, two('import'))
    const { 'staff-1': byStaff, ...others } = await labelsOf(app)
    assert.deepEqual(others, { 'import-1': EXPECTED })
    assert.deepEqual(
      byStaff?.filter((label) => !label.startsWith('c:floor=')),
      EXPECTED,
    )
    assert.equal(byStaff?.length, EXPECTED.length + 1)
  })
})
