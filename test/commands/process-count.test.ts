/** How many processes a service has, and that their connections fit into the database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectionsOf,
  poolSizeWithin,
  processCountOf,
  roomFor,
} from '../../src/commands/serve/process-count.ts'
import { readConfig } from '../../src/platform/config/config.ts'

const countOf = (value: string | undefined, cores: number): number =>
  processCountOf(readConfig({ MOORING_PROCESSES: value }), cores)

test('the default is one process on up to two cores, then one for each, at most eight', () => {
  for (const [cores, expected] of [
    [1, 1],
    [2, 1],
    [3, 3],
    [8, 8],
    [64, 8],
  ] as const) {
    assert.equal(countOf(undefined, cores), expected)
    assert.equal(countOf('auto', cores), expected)
  }
  assert.equal(countOf('2', 1), 2)
  assert.equal(countOf('1', 64), 1)
})

test('an invalid number of processes is refused', () => {
  for (const value of ['0', '-1', '65', 'many', '1.5']) {
    assert.throws(() => readConfig({ MOORING_PROCESSES: value }), /MOORING_PROCESSES must be auto/)
  }
})

test('pools shrink until all processes fit into the connections of the database', () => {
  for (const processes of [1, 2, 4, 8]) {
    const size = poolSizeWithin(97, processes, 10)
    assert.ok(size === 1 || connectionsOf(size) * processes <= 97)
  }
  assert.equal(poolSizeWithin(97, 1, 10), 10)
  assert.equal(poolSizeWithin(97, 4, 10), 8)
  assert.equal(poolSizeWithin(97, 64, 10), 1)
})

test('an embedded database has room for all processes', () => {
  for (const processes of [2, 4, 8, 64]) {
    const { max_connections: max } = roomFor(10, processes)
    assert.ok(Number(max) >= connectionsOf(10) * processes)
  }
  assert.deepEqual(roomFor(10, 1), {})
})
