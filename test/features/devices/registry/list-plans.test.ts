/**
 * Every filter that is documented walks along an index, on the first page and on those behind it,
 * as the role of requests with the policies of the tables.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, type Statement, unnamed } from '../../../../src/platform/database/connect.ts'
import { readDeviceFilter } from '../../../../src/features/devices/filters/device-filter.ts'
import { pageOfDeviceIds } from '../../../../src/features/devices/filters/device-filter-page.ts'
import { formatId } from '../../../../src/platform/lib/ids.ts'
import { startApp } from '../../../support/app.ts'
import { insertLabels, insertPresence } from '../../../support/device-rows.ts'

const ROWS = 3_000

/** Filters, and the index that is scanned for them. */
const EXPECTED: [filter: string, index: string][] = [
  ['id = $device', 'devices_'],
  ['device_key = "k7"', 'devices_device_key'],
  ['device_key = "k7*"', 'devices_device_key'],
  ['device_key > "k7" AND device_key < "k8"', 'devices_device_key'],
  ['device_key = "*77"', 'devices_key_reversed'],
  ['hardware_id = "h7"', 'devices_hardware_id'],
  ['hardware_id = "h7*"', 'devices_hardware_id'],
  ['hardware_id:*', 'devices_hardware_id'],
  ['name = "name 7"', 'devices_name'],
  ['name = "NAME 77*"', 'devices_name'],
  ['name:77', 'device_labels_pkey'],
  ['name:77*', 'device_labels_pkey'],
  ['status = active', 'devices_status'],
  ['status = suspended', 'devices_status'],
  ['status != active', 'devices_status'],
  ['approval = pending', 'devices_approval'],
  ['approval != approved', 'devices_approval'],
  ['template_id = $template', 'devices_template'],
  ['template_id:*', 'devices_template'],
  ['connected = true', 'device_presence_connection'],
  ['connected = false', 'device_presence_connection'],
  ['claimed = true', 'devices_claimed'],
  ['claimed = false', 'devices_claimed'],
  ['created_at < "2026-01-01"', 'devices_pkey'],
  ['claimed_at > "2026-01-01"', 'devices_claimed_at'],
  ['last_seen_at < "2030-01-01"', 'device_presence_seen'],
  ['last_seen_at:*', 'device_presence_seen'],
  ['NOT last_seen_at:*', 'devices_status'],
  ['tags.n = "7"', 'device_labels_pkey'],
  ['tags.n = "7*"', 'device_labels_pkey'],
  ['tags.n:*', 'device_labels_pkey'],
  ['custom_fields.n = 7', 'device_labels_pkey'],
  ['custom_fields.n < 20', 'device_labels_pkey'],
  ['custom_fields.s = "7*"', 'device_labels_pkey'],
  ['status = active AND tags.n = "8"', 'device_labels_pkey'],
  ['status = suspended OR tags.n = "7"', 'device_labels_pkey'],
  ['device_key = "k7*" OR name = "name 8*"', 'devices_device_key'],
]

test('no filter reads a table from its beginning', async (t) => {
  const { database, seed, services } = await startApp(t)
  const { pool } = database
  // In one statement it takes longer on a busy machine than a statement may.
  for (let from = 1; from < ROWS; from += 500) {
    await pool.query(
      `INSERT INTO devices (workspace_id, id, device_key, name, hardware_id, template_id, tags,
                          custom_fields, status, claimed_at)
     SELECT $1, gen_random_uuid(), 'k' || n, 'Name ' || n, 'h' || n, $2,
            jsonb_build_object('n', n::text), jsonb_build_object('n', n, 's', n::text),
            CASE WHEN n % 1000 = 7 THEN 'suspended' ELSE 'active' END, CASE n % 2 WHEN 0 THEN now() END
     FROM generate_series($3::integer, $3 + 499) AS n`,
      [seed.uuid, seed.template.uuid, from],
    )
  }
  await pool.query(`${insertLabels()}; ${insertPresence()}`)
  // As sessions of this process: sessions of a process that is gone are deleted.
  await pool.query(
    `UPDATE device_presence SET connected = (random() < 0.5), node_id = $1,
       last_seen_at = now() - random() * interval '9 days'`,
    [services.nodeId],
  )
  await pool.query('ANALYZE devices, device_labels, device_presence')
  const device = await pool.query<{ id: string }>('SELECT id FROM devices LIMIT 1')
  const ids = {
    $device: formatId('dev', device.rows[0]?.id as string),
    $template: seed.template.id,
  }
  const { db } = database.within(seed.uuid)
  for (const [pattern, index] of EXPECTED) {
    const text = pattern.replace(/\$\w+/, (name) => ids[name as keyof typeof ids])
    const plans: string[] = []
    const explaining = {
      async query<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
        const explain = unnamed(`EXPLAIN ${statement.text}`)
        const rows = await db.query<object>(explain, values)
        plans.push(rows.flatMap((row) => Object.values(row)).join('\n'))
        return db.query<Row>(statement, values)
      },
    } as unknown as Db
    const filter = await readDeviceFilter({ db }, seed.uuid, text)
    let after: string | undefined
    for (let page = 1; page === 1 || (page === 2 && after !== undefined); page += 1) {
      plans.length = 0
      const found = await pageOfDeviceIds(explaining, seed.uuid, filter, { after, limit: 50 })
      after = found.next
      const plan = plans.join('\n')
      assert.doesNotMatch(plan, /Seq Scan/, `${text}\n${plan}`)
      assert.ok(plan.includes(` ${index}`), `${text}\n${plan}`)
      if (!/created_at|NOT|approval/.test(text)) assert.ok(found.ids.length > 0, text)
    }
  }
})
