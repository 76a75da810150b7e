/** Runs of equal events are one row, until they are opened. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldRuns } from '../../console/src/pages/events/event-runs.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString()

/** The newest first, as `id type minute`. */
const events = (...texts: string[]) =>
  texts.map((text) => {
    const [id = '', type = '', minute = '0'] = text.split(' ')
    return { id, type, occurred_at: at(Number(minute)) }
  })

const shown = (list: ReturnType<typeof events>, ...open: string[]) =>
  foldRuns(list, new Set(open)).map(({ event, run }) => `${event.id} ${run?.others ?? 0}`)

test('a run of one type is one row, and opens', () => {
  const list = events('e a 9', 'd b 8', 'c b 7', 'b b 6', 'a b 5', '0 a 4')
  assert.deepEqual(shown(list), ['e 0', 'd 3', '0 0'])
  assert.deepEqual(shown(list, 'a'), ['e 0', 'd 3', 'c 0', 'b 0', 'a 0', '0 0'])
})

test('a new event of the type does not close an open row', () => {
  const list = events('e b 9', 'd b 8', 'c b 7', 'b b 6', 'a b 5')
  assert.equal(shown(list, 'a').length, 5)
})

test('three events, or those with long pauses, are shown each by itself', () => {
  assert.equal(shown(events('c b 7', 'b b 6', 'a b 5')).length, 3)
  assert.equal(shown(events('d b 30', 'c b 20', 'b b 10', 'a b 0')).length, 4)
})
