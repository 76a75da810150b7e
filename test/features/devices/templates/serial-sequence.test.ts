/** Sequence numbers: never one twice, in any number of processes, and none lost in order. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectDatabase, type Db, unnamed } from '../../../../src/platform/database/connect.ts'
import { Failure } from '../../../../src/platform/errors/errors.ts'
import {
  createSerialSequences,
  type SerialSequences,
} from '../../../../src/features/devices/templates/serial-sequence.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { cloneDatabase } from '../../../support/database.ts'

interface Factory {
  /** Sequences as one more process would have them. */
  process: () => SerialSequences
  workspaceId: string
  templateId: string
  db: Db
  ask: (sql: string) => Promise<unknown[]>
}

async function factory(t: TestContext): Promise<Factory> {
  const database = connectDatabase({
    connection: await cloneDatabase(t),
    poolSize: 4,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 30_000,
  })
  t.after(() => database.close())
  const workspaceId = newUuid()
  const templateId = newUuid()
  const ask = (sql: string) => database.query(unnamed(sql))
  await ask(`INSERT INTO workspaces (id, name, slug) VALUES ('${workspaceId}', 'Acme', 'acme')`)
  await ask(
    `INSERT INTO device_templates (workspace_id, id, model_key, name, serial_format)
     VALUES ('${workspaceId}', '${templateId}', 'm1', 'Model', '%#f')`,
  )
  return {
    process: () => createSerialSequences({ db: database }),
    workspaceId,
    templateId,
    db: database,
    ask,
  }
}

const ascending = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

test('three concurrent processes never issue a number twice', async (t) => {
  const { process, workspaceId, templateId } = await factory(t)
  const taken: number[] = []
  const worker = async (serials: SerialSequences, count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) {
      const number = await serials.take(workspaceId, templateId)
      // Some come back unused, as they do when a registration turns out to be a repetition.
      if (done % 7 === 3) serials.giveBack(workspaceId, templateId, number)
      else taken.push(number)
    }
  }
  const processes = [process(), process(), process()]
  await Promise.all(
    processes.flatMap((serials) => Array.from({ length: 8 }, () => worker(serials, 84))),
  )
  assert.equal(taken.length, 24 * 72)
  assert.equal(new Set(taken).size, taken.length)
  // Unused numbers are handed out after all, once the processes have stopped.
  await Promise.all(processes.map((serials) => serials.close()))
  const last = process()
  const highest = Math.max(...taken)
  while (taken.length < highest) taken.push(await last.take(workspaceId, templateId))
  assert.deepEqual(ascending(taken), upTo(highest))
})

test('a burst in one process is numbered without a gap', async (t) => {
  const { process, workspaceId, templateId } = await factory(t)
  const serials = process()
  const numbers = await Promise.all(upTo(500).map(() => serials.take(workspaceId, templateId)))
  assert.deepEqual(numbers, upTo(500))
})

test('returned numbers are issued next, lowest first', async (t) => {
  const { process, workspaceId, templateId } = await factory(t)
  const serials = process()
  for (const expected of upTo(5)) {
    assert.equal(await serials.take(workspaceId, templateId), expected)
  }
  for (const number of [4, 2, 3, 2]) serials.giveBack(workspaceId, templateId, number)
  for (const expected of [2, 3, 4, 6]) {
    assert.equal(await serials.take(workspaceId, templateId), expected)
  }
})

test('a clean restart loses no number', async (t) => {
  const { process, workspaceId, templateId } = await factory(t)
  const used: number[] = []
  for (let restart = 0; restart < 5; restart += 1) {
    const serials = process()
    const numbers = await Promise.all(upTo(40).map(() => serials.take(workspaceId, templateId)))
    for (const number of numbers) {
      if (number % 3 === restart % 3) serials.giveBack(workspaceId, templateId, number)
      else used.push(number)
    }
    await serials.close()
  }
  const serials = process()
  const highest = Math.max(...used)
  while (used.length < highest) used.push(await serials.take(workspaceId, templateId))
  assert.deepEqual(ascending(used), upTo(highest))
})

test('the rest of the block of a killed process is never issued', async (t) => {
  const { process, workspaceId, templateId } = await factory(t)
  const killed = process()
  const before = await Promise.all(upTo(100).map(() => killed.take(workspaceId, templateId)))
  const after = await process().take(workspaceId, templateId)
  assert.ok(after > Math.max(...before))
})

test('a process that registers slowly takes one number at a time', async (t) => {
  const { process, workspaceId, templateId, ask } = await factory(t)
  assert.equal(await process().take(workspaceId, templateId), 1)
  assert.deepEqual(await ask('SELECT next FROM template_serials'), [{ next: 2 }])
})

test('each template counts for itself', async (t) => {
  const { process, workspaceId, templateId, ask } = await factory(t)
  const other = newUuid()
  await ask(
    `INSERT INTO device_templates (workspace_id, id, model_key, name, serial_format)
     VALUES ('${workspaceId}', '${other}', 'm2', 'Other', '%#f')`,
  )
  const serials = process()
  assert.equal(await serials.take(workspaceId, templateId), 1)
  assert.equal(await serials.take(workspaceId, other), 1)
  assert.equal(await serials.take(workspaceId, templateId), 2)
})

test('a template that is gone, or is of another workspace, has no numbers', async (t) => {
  const { process, workspaceId, templateId, ask } = await factory(t)
  const serials = process()
  const gone = (error: unknown): boolean =>
    error instanceof Failure && error.code === 'template_not_found'
  await assert.rejects(serials.take(workspaceId, newUuid()), gone)
  await assert.rejects(serials.take(newUuid(), templateId), gone)
  await Promise.all(upTo(5).map(() => serials.take(workspaceId, templateId)))
  serials.giveBack(workspaceId, templateId, 5)
  await ask('DELETE FROM device_templates')
  await serials.close()
  assert.deepEqual(await ask('SELECT * FROM unused_serials'), [])
})

test('when the database fails, all waiting callers get the error, and the next one is served', async (t) => {
  const { db, workspaceId, templateId } = await factory(t)
  let failing = true
  const serials = createSerialSequences({
    db: {
      ...db,
      query: async (statement, values) => {
        if (failing) throw new Failure('unavailable')
        return db.query(statement, values)
      },
    },
  })
  const takes = await Promise.allSettled(upTo(5).map(() => serials.take(workspaceId, templateId)))
  assert.ok(takes.every(({ status }) => status === 'rejected'))
  failing = false
  assert.equal(await serials.take(workspaceId, templateId), 1)
})

test('no number is issued after the close, and waiting callers are still served', async (t) => {
  const { process, workspaceId, templateId } = await factory(t)
  const serials = process()
  const waiting = serials.take(workspaceId, templateId)
  await serials.close()
  assert.equal(await waiting, 1)
  await assert.rejects(serials.take(workspaceId, templateId), Failure)
})
