/** Two commits are compared by the tables that their benches print. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf, shownFigure } from '../../bench/support/table-figures.ts'

const shown = (text: string): string[] =>
  figuresOf(text).map(
    ({ row, column, value, unit }) => `${row} | ${column} | ${shownFigure(value, unit)}`,
  )

test('a table of ratios has the rate of our side, whatever it is compared with', () => {
  const table = `2026-11-29, 2 cores. Medians of 6 rounds.

### Reads

|                       | ours, per second | limit, per second | ratio | aim  |      | ours, µs each |
|-----------------------|------------------|-------------------|-------|------|------|---------------|
| read (against bare)   | 24,946 responses | 28,039            | 0.89  | 0.75 | kept | 38 + 21 + 10  |
| p99 (against 5 ms)    | 249 times p99    | 200               | 1.23  | 1.00 | kept |               |
`
  assert.deepEqual(shown(table), [
    'read | ours, per second | 24,946 responses',
    'p99 | ours, per second | 249 times',
  ])
})

test('a line that is measured against an aim has no figure of the aim', () => {
  const table = `|  | measured | aim |  |
| --- | --- | --- | --- |
| the first start | 1.68 s | 1.8 s | kept |
| a change | 205 ms (at most 232) | 1000 ms | kept |
| registered | 1462/s |  | kept |
| other hosts | 0 | 0 | kept |`
  assert.deepEqual(shown(table), [
    'the first start | measured | 1.68 s',
    'a change | measured | 205 ms',
    'registered | measured | 1,462/s',
  ])
})

test('a unit can stand in the heading, and a heading can be empty', () => {
  const table = `|  | 10,000, ms | ratio | reads |
| --- | --- | --- | --- |
| \`name = "hall*"\` | 3.16 | 1.08 | \`devices_name\` |

|  |  |
| --- | --- |
| refused | none |
| with all of them | 224 MiB (less than 300: kept) |`
  assert.deepEqual(shown(table), [
    '`name = "hall*"` | 10,000, ms | 3.16 ms',
    'with all of them |  | 224 MiB',
  ])
})

test('units of the same kind can be compared', () => {
  const [small, large] = figuresOf('| a | b |\n| --- | --- |\n| x | 512 KiB |\n| x | 1.0 MiB |')
  assert.equal(small?.unit.measures, large?.unit.measures)
  assert.equal((small?.value ?? 0) * 2, large?.value)
})
