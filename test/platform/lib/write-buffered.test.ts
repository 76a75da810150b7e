/** Rows that wait in memory are written in batches, and none is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeBuffered } from '../../../src/platform/lib/write-buffered.ts'

const rowsOf = (...keys: string[]): Map<string, string> => new Map(keys.map((key) => [key, key]))

test('all rows are written, in batches', async () => {
  const waiting = rowsOf('a', 'b', 'c')
  const batches: string[][] = []
  await writeBuffered(waiting, 2, async (rows) => batches.push([...rows]))
  assert.deepEqual(batches, [['a', 'b'], ['c']])
  assert.equal(waiting.size, 0)
})

test('rows of a failed write stay, and those written before it do not', async () => {
  const waiting = rowsOf('a', 'b')
  const write = async ([row]: readonly string[]): Promise<void> => {
    if (row === 'b') throw new Error('no database')
  }
  await assert.rejects(writeBuffered(waiting, 1, write), /no database/)
  assert.deepEqual([...waiting.values()], ['b'])
})

test('a row that is replaced while it is written is written again', async () => {
  const waiting = rowsOf('a')
  const written: string[] = []
  const write = async ([row]: readonly string[]): Promise<void> => {
    written.push(row as string)
    if (row === 'a') waiting.set('a', 'newer')
  }
  await writeBuffered(waiting, 10, write)
  await writeBuffered(waiting, 10, write)
  assert.deepEqual(written, ['a', 'newer'])
})

test('rows that are replaced meanwhile keep no others from being written', async () => {
  const waiting = rowsOf('a', 'b', 'c')
  const written: string[] = []
  await writeBuffered(waiting, 1, async ([row]) => {
    written.push(row as string)
    if (row === 'a') waiting.set('a', 'newer')
  })
  assert.deepEqual(written, ['a', 'b', 'c'])
})
