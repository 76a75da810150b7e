/** Two programs that use one client id are noticed, and shown once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anotherOf,
  foldAttempts,
  foldReplaced,
  recentReplacements,
} from '../../console/src/pages/devices/replaced.ts'
import type { ConnectionAttempt, TimelineEntry } from '../../sdk/schema.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString()

const attempt = (
  client_id: string,
  secondsAgo: number,
  end_reason: string | null = 'taken_over',
): ConnectionAttempt => ({
  accepted: true,
  reason: null,
  attempts: 1,
  at: ago(secondsAgo + 1),
  last_at: ago(secondsAgo + 1),
  client_id,
  address: '127.0.0.1',
  protocol: '5',
  session: end_reason === null ? 'open' : 'ended',
  ended_at: end_reason === null ? null : ago(secondsAgo),
  end_reason,
  duration_s: end_reason === null ? null : 1,
})

const times = (count: number, client: string, end?: string): ConnectionAttempt[] =>
  Array.from({ length: count }, (_, at) => attempt(client, 10 * (at + 1), end))

test('sessions that were replaced several times in the last minutes are counted', () => {
  const attempts = [attempt('a', 0, null), ...times(6, 'a')]
  const [first, last] = [NOW - 60_000, NOW - 10_000]
  const found = { client_id: 'a', count: 6, first, last, isOver: false }
  assert.deepEqual(recentReplacements(attempts, NOW), found)
})

test('few replacements, other ends, other client ids and old ones do not count', () => {
  assert.equal(recentReplacements(times(4, 'a'), NOW), undefined)
  assert.equal(recentReplacements([...times(4, 'a'), ...times(4, 'a:2')], NOW), undefined)
  assert.equal(recentReplacements(times(6, 'a', 'client'), NOW), undefined)
  assert.equal(recentReplacements(times(6, 'a'), NOW + 3_600_000), undefined)
})

const every = (seconds: number): ConnectionAttempt[] =>
  Array.from({ length: 8 }, (_, at) => attempt('a', seconds * at))

const isOverAfter = (seconds: number, pause: number): boolean | undefined =>
  recentReplacements(every(pause), NOW + 1000 * seconds)?.isOver

test('a run is over after three times its usual interval', () => {
  assert.deepEqual([isOverAfter(10, 1), isOverAfter(11, 1)], [false, true])
  assert.deepEqual([isOverAfter(30, 10), isOverAfter(31, 10)], [false, true])
  assert.deepEqual([isOverAfter(60, 40), isOverAfter(61, 40)], [false, true])
})

test('a finished run is listed for five minutes, after the current ones', () => {
  const found = recentReplacements(every(10), NOW + 300_000)
  assert.deepEqual([found?.count, found?.last], [8, NOW])
  assert.equal(recentReplacements(every(10), NOW + 301_000), undefined)
  const both = [...every(1), ...times(6, 'a:2')]
  assert.equal(recentReplacements(both, NOW + 12_000)?.client_id, 'a:2')
})

test('the other client id that is proposed is not the same one', () => {
  assert.deepEqual(['a', 'a:2', 'a:9', 'a:x'].map(anotherOf), ['a:2', 'a:3', 'a:10', 'a:2'])
})

/** A text is something else that happened then. */
const shown = (...happened: (ConnectionAttempt | string)[]): string[] => {
  const entries = happened.map(
    (each, at): TimelineEntry =>
      typeof each === 'string'
        ? { id: String(at), kind: 'change', at: each }
        : { id: String(at), kind: 'connection', at: each.at, connection: each },
  )
  return foldReplaced(entries).map(({ entry, run }) => `${entry.id} ${run.length}`)
}

test('a run of replacements is one entry of the timeline', () => {
  const now = attempt('a', 0, null)
  assert.deepEqual(shown(now, ...times(4, 'a'), attempt('a', 60, 'client')), ['0 1', '1 4', '5 1'])
})

test('two replacements, and those of other client ids, stay apart', () => {
  assert.deepEqual(shown(...times(2, 'a'), ...times(2, 'b')), ['0 1', '1 1', '2 1', '3 1'])
})

test('other entries between replacements stay, and end no run', () => {
  const [first, ...others] = times(4, 'a')
  assert.ok(first)
  assert.deepEqual(shown(first, ago(15), ...others), ['0 4', '1 1'])
  assert.deepEqual(shown(first, ago(15), ...others.slice(2)), ['0 1', '1 1', '2 1'])
})

test('a run of replacements is one row of the connection log, with all that it stands for', () => {
  const [now, run, other] = [attempt('a', 0, null), times(5, 'a'), attempt('a', 60, 'client')]
  const folded = foldAttempts([now, ...run, other])
  assert.deepEqual(folded, [
    { entry: now, run: [now] },
    { entry: run[0], run },
    { entry: other, run: [other] },
  ])
})
