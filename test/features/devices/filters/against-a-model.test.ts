/** Whatever the filter, however it is answered: the devices that pass, each once, and no other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { readDeviceFilter } from '../../../../src/features/devices/filters/device-filter.ts'
import {
  countDevicesThat,
  iterateDeviceIds,
  pageOfDeviceIds,
} from '../../../../src/features/devices/filters/device-filter-page.ts'
import { printFilter } from '../../../support/print-filter.ts'
import { createUuidSource, newUuid } from '../../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import { insertLabels } from '../../../support/device-rows.ts'
import { useApp } from '../../../support/suite-app.ts'
import {
  deviceArbitrary,
  filterArbitrary,
  keyOf,
  type ModelDevice,
  T0,
} from './devices-and-filters.ts'
import { passes } from './meaning.ts'

const app = useApp()
const RUNS = Number(process.env.MOORING_TEST_FILTERS ?? 40)
const COUNT = 40
/**
 * A process that lives for the whole test: reports of a dead one about its sessions are revoked.
 */
const NODE = newUuid()

const insert = `
  WITH device AS (
    INSERT INTO devices (workspace_id, id, device_key, hardware_id, name, status, template_id, tags,
                         custom_fields, claimed_at, approval, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12))
  SELECT`
const change = `
  UPDATE devices SET name = $3, status = $4, template_id = $5, tags = $6, custom_fields = $7,
    claimed_at = $8, approval = $9 WHERE workspace_id = $1 AND id = $2`
const presence = `
  INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id, last_seen_at)
  VALUES ($1, $2, $3, 1, $5, $4)
  ON CONFLICT (workspace_id, device_id)
    DO UPDATE SET connected = excluded.connected, last_seen_at = excluded.last_seen_at,
      node_id = excluded.node_id`
const member =
  'INSERT INTO device_group_members (workspace_id, group_id, device_id) VALUES ($1, $2, $3)'

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

async function writeAround({ database, seed }: TestApp, device: ModelDevice): Promise<void> {
  const { pool } = database
  const ids = [seed.uuid, device.id]
  // An active device has been seen.
  if (device.status === 'active') device.presence ??= { connected: false, last_seen_at: T0 }
  if (device.presence) {
    const { connected, last_seen_at } = device.presence
    await pool.query(presence, [...ids, connected, dateOf(last_seen_at), NODE])
  }
  await pool.query('DELETE FROM device_group_members WHERE device_id = $1', [device.id])
  for (const group of device.groups) await pool.query(member, [seed.uuid, group, device.id])
}

const valuesOf = (device: ModelDevice) =>
  [
    device.name,
    device.status,
    device.template,
    JSON.stringify(device.tags),
    JSON.stringify(device.custom_fields),
    dateOf(device.claimed_at),
    device.approval,
  ] as const

/** In chunks, going on again after each as after a stop. */
async function iterateAll(db: Db, workspaceId: string, text: string): Promise<string[]> {
  const filter = await readDeviceFilter({ db }, workspaceId, text)
  const ids: string[] = []
  let after: string | undefined
  do {
    const chunks = iterateDeviceIds(db, workspaceId, filter, { after, chunk: 7 })
    const { value } = await chunks.next()
    after = value?.after
    ids.push(...(value?.ids ?? []))
  } while (after !== undefined)
  return ids
}

/** All pages. A page is never longer than asked for, and the last one comes. */
async function listAll(
  db: Db,
  workspaceId: string,
  text: string,
  effort: { budget: number; small: number },
): Promise<string[]> {
  const filter = await readDeviceFilter({ db }, workspaceId, text)
  const ids: string[] = []
  let after: string | undefined
  for (let pages = 0; ; pages += 1) {
    assert.ok(pages < 500, 'the list does not end')
    const page = await pageOfDeviceIds(db, workspaceId, filter, { after, limit: 4 }, effort)
    assert.ok(page.ids.length <= 4)
    ids.push(...page.ids)
    after = page.next
    if (after === undefined) return ids
  }
}

/** A count is right, and one that stops early is too low and says so. */
async function requireCount(db: Db, workspaceId: string, text: string, expected: number) {
  const filter = await readDeviceFilter({ db }, workspaceId, text)
  const { count, isLowerBound } = await countDevicesThat(db, workspaceId, filter)
  assert.deepEqual([count, isLowerBound], [expected, false], text)
  const bounded = await countDevicesThat(db, workspaceId, filter, { entries: 7, budget: 7 })
  assert.ok(bounded.isLowerBound ? bounded.count <= expected : bounded.count === expected, text)
}

async function makeGroups({ database, seed }: TestApp): Promise<string[]> {
  const groups = [newUuid(), newUuid()]
  for (const [index, id] of groups.entries()) {
    await database.pool.query(
      'INSERT INTO device_groups (workspace_id, id, name) VALUES ($1, $2, $3)',
      [seed.uuid, id, `Group ${index}`],
    )
  }
  return groups
}

test('a filter shows what a model of the same devices shows, before and after changes', async () => {
  const { database, seed } = app()
  await database.pool.query(
    `INSERT INTO nodes (id, beat_at) VALUES ($1, now() + interval '1 day')`,
    [NODE],
  )
  const groups = await makeGroups(app())
  const drafts = deviceArbitrary([seed.template.uuid], groups)
  const clock = { now: () => T0 }
  const sample = (count: number) => fc.sample(drafts, count)
  const devices: ModelDevice[] = sample(COUNT).map((draft, index) => {
    const created_at = T0 + index * 5 * 60_000
    clock.now = () => created_at
    const device_key = keyOf(index)
    const hardware_id = index % 4 === 0 ? null : `hw${index}`
    const name = draft.name === '' ? device_key : draft.name
    return { ...draft, id: createUuidSource(clock)(), device_key, hardware_id, name, created_at }
  })
  for (const device of devices) {
    const { id, device_key, hardware_id } = device
    const values = [seed.uuid, id, device_key, hardware_id, ...valuesOf(device)]
    await database.pool.query(insert, [...values, dateOf(device.created_at)])
    await writeAround(app(), device)
  }
  await database.pool.query(insertLabels())
  const ids = { devices: devices.map(({ id }) => id), templates: [seed.template.uuid], groups }
  const check = () =>
    fc.assert(
      fc.asyncProperty(
        filterArbitrary(ids),
        fc.integer({ min: 0, max: 3 }),
        async (tree, variant) => {
          const effort = [
            { budget: 5_000, small: 1_000 },
            { budget: 5, small: 0 },
            { budget: 11, small: 6 },
          ][variant]
          const text = printFilter(tree)
          const shown = effort
            ? await listAll(database, seed.uuid, text, effort)
            : await iterateAll(database, seed.uuid, text)
          const expected = devices.filter((device) => passes(device, tree)).map(({ id }) => id)
          assert.deepEqual(shown.toSorted(), expected.toSorted(), text)
          await requireCount(database, seed.uuid, text, expected.length)
        },
      ),
      { numRuns: RUNS },
    )
  await check()
  for (const [index, draft] of sample(COUNT - 5).entries()) {
    const device = devices[index] as ModelDevice
    const { name, presence: seen, ...rest } = draft
    Object.assign(device, rest, { name: name === '' ? device.device_key : name })
    if (seen) device.presence = seen
    await database.pool.query(change, [seed.uuid, device.id, ...valuesOf(device)])
    await writeAround(app(), device)
  }
  for (const { id } of devices.splice(10, 5)) {
    await database.pool.query('DELETE FROM devices WHERE id = $1', [id])
  }
  await check()
})
