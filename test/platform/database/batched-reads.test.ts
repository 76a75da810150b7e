/** Point reads that share statements: each caller gets its row, as it is after it asked. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BatchedReads } from '../../../src/platform/database/batched-reads.ts'

interface Row {
  id: string
  read: number
}

/** Reads that are written down, and answered when the test says so. */
function watched() {
  const statements: { ids: readonly string[]; response: PromiseWithResolvers<Row[]> }[] = []
  const reads = new BatchedReads<Row>((ids) => {
    const response = Promise.withResolvers<Row[]>()
    statements.push({ ids, response })
    return response.promise
  })
  const response = (at: number, but?: string): void => {
    const rows = (statements[at]?.ids ?? []).filter((id) => id !== but)
    statements[at]?.response.resolve(rows.map((id) => ({ id, read: at })).toReversed())
  }
  return { reads, statements, response }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('batched reads', () => {
  test('share a statement in one turn, and each gets its own row', async () => {
    const { reads, statements, response } = watched()
    const asked = ['a', 'b', 'c', 'b'].map((id) => reads.find(id))
    await turn()
    assert.deepEqual(
      statements.map(({ ids }) => ids),
      [['a', 'b', 'c']],
    )
    response(0, 'c')
    const rows = await Promise.all(asked)
    assert.deepEqual(
      rows.map((row) => row?.id),
      ['a', 'b', undefined, 'b'],
    )
  })

  test('never return a value that was read before the call', async () => {
    const { reads, response } = watched()
    const first = reads.find('a')
    await turn()
    const second = reads.find('a')
    response(0)
    assert.equal((await first)?.read, 0)
    await turn()
    response(1)
    assert.equal((await second)?.read, 1)
  })

  test('wait for a statement in flight unless they are many, and all get their rows', async () => {
    const { reads, statements, response } = watched()
    const asked: Promise<Row | undefined>[] = []
    for (let number = 0; number < 300; number += 1) {
      asked.push(reads.find(`id ${number}`))
      if (number < 2) await turn()
    }
    assert.equal(statements.length, 1)
    await turn()
    assert.equal(statements.length, 2)
    for (let at = 0; at < statements.length; at += 1) {
      response(at)
      await turn()
      await turn()
    }
    const rows = await Promise.all(asked)
    assert.deepEqual(
      rows.map((row) => row?.id),
      rows.map((_, number) => `id ${number}`),
    )
    assert.deepEqual(
      statements.map(({ ids }) => ids.length),
      [1, 128, 128, 43],
    )
  })

  test('fail only for callers whose statement failed', async () => {
    const { reads, statements, response } = watched()
    const first = reads.find('a')
    await turn()
    const second = reads.find('b')
    statements[0]?.response.reject(new Error('away'))
    await assert.rejects(first, /away/)
    await turn()
    response(1)
    assert.equal((await second)?.id, 'b')
    const third = reads.find('a')
    await turn()
    response(2)
    assert.equal((await third)?.id, 'a')
  })
})
