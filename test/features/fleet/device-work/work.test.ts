/** Work over many devices: which they are, that each is done once, and that no work is lost. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { jobKind } from '../../../../src/features/fleet/bulk-jobs/bulk-job-kind.ts'
import {
  nextSelected,
  readSelection,
} from '../../../../src/features/fleet/device-work/selected-devices.ts'
import { deleteOldWork } from '../../../../src/features/fleet/device-work/work-run.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  changedDevices,
  continueJob,
  ended,
  north,
  postJob,
  readJob,
  runJob,
  seedFleet,
  writeJob,
} from '../../../support/fleet.ts'
import { useTenants } from '../../../support/suite-app.ts'

const tenant = useTenants()

suite('the devices of work', () => {
  const within = ({ database: db, seed }: TestApp) => ({ db, workspaceId: seed.uuid })

  test('are listed or filtered, and no device of another workspace is among them', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 2)
    const theirs = await seedFleet({ ...app, seed: { ...app.seed.other, other: app.seed } }, 1)
    const listed = await readSelection(within(app), { device_ids: ids })
    assert.deepEqual([listed.deviceIds?.toSorted(), listed.filter], [uuids.toSorted(), null])
    for (const [selection, pointer] of [
      [{ device_ids: [...ids, ...theirs.ids] }, '/device_ids/2'],
      [{ device_ids: ids, filter: '' }, '/filter'],
      [{}, '/filter'],
      [{ filter: 'status = nothing' }, '/filter'],
    ] as const) {
      const refused = readSelection(within(app), selection as Parameters<typeof readSelection>[1])
      await assert.rejects(refused, ({ options }) => options.errors[0].pointer === pointer)
    }
  })

  test('of a filter come in pages, each device once', async (t) => {
    const app = await tenant(t)
    const { uuids } = await seedFleet(app, 7)
    await seedFleet(app, 2, 'suspended')
    const seen: string[] = []
    let after: string | undefined
    do {
      const { db, workspaceId } = within(app)
      const page = await nextSelected(db, workspaceId, 'status = active', after ?? null, 3)
      assert.ok(page.ids.length <= 3)
      seen.push(...page.ids)
      after = page.next
    } while (after !== undefined)
    assert.deepEqual(seen.toSorted(), uuids.toSorted())
  })
})

suite('work over many devices', () => {
  test('a job rests while its workspace is deleted, and continues when it is restored', async (t) => {
    const app = await tenant(t)
    const { uuids } = await seedFleet(app, 2)
    const id = await writeJob(app, 'running', uuids)
    const set = `UPDATE workspaces SET status = $2, delete_requested_at = $3, erase_at = $3
                 WHERE id = $1`
    const { pool } = app.app.database
    await pool.query(set, [app.seed.uuid, 'deleting', new Date()])
    await continueJob(app, id)
    assert.deepEqual(await changedDevices(app, uuids), [])
    await pool.query(set, [app.seed.uuid, 'active', null])
    await continueJob(app, id)
    assert.deepEqual(await changedDevices(app, uuids), uuids)
  })

  test('two processes do each device once', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 1_100)
    await app.sibling()
    const both = await Promise.all([
      postJob(app, { ...north, device_ids: ids }),
      postJob(app, { action: 'suspend', filter: '' }),
    ])
    for (const { body } of both) {
      const job = await ended(app, body.id)
      assert.deepEqual([job.counts.total, job.counts.succeeded], [1_100, 1_100])
    }
    assert.deepEqual(
      await changedDevices(app, uuids),
      uuids.flatMap((uuid) => [uuid, uuid]),
    )
  })

  test('a job is deleted thirty days after its end', async (t) => {
    const app = await tenant(t)
    const { ids } = await seedFleet(app, 2)
    const { id } = await runJob(app, { ...north, device_ids: ids })
    for (const [days, status] of [
      [29, undefined],
      [31, 404],
    ] as const) {
      await app.app.database.pool.query(
        `UPDATE jobs SET ended_at = now() - $2 * interval '1 day' WHERE id = $1`,
        [parseId('job', id), days],
      )
      await deleteOldWork(jobKind, app.services, new AbortController().signal)
      assert.equal((await readJob(app, id)).status, status ?? 'completed')
    }
  })

  test('a workspace has at most a hundred open jobs, however many come at once', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 1)
    await app.app.database.pool.query(
      `INSERT INTO jobs (workspace_id, id, action, status, actor_kind)
       SELECT $1, gen_random_uuid(), 'tag', 'running', 'service' FROM generate_series(1, 98)`,
      [app.seed.uuid],
    )
    // None of them ends as long as its device can't be changed.
    const holder = await app.app.database.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM devices WHERE id = $1 FOR NO KEY UPDATE', [uuids[0]])
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => postJob(app, { ...north, device_ids: ids })),
    )
    await holder.query('ROLLBACK')
    holder.release()
    const made = responses.filter(({ status }) => status === 201 || status === 202).length
    const refused = responses.filter(({ body: { code } }) => code === 'limit_reached').length
    assert.deepEqual([made, refused], [2, 10])
  })
})
