/** The problems and warnings of `mooring status`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClockWatch } from '../../../src/app/clock-watch.ts'
import { countLines } from '../../../src/app/metrics.ts'
import { findingsOf } from '../../../src/app/status-findings.ts'
import { warnWith } from '../../../src/app/warnings.ts'
import { textOf } from '../../../src/commands/status.ts'
import { Failure } from '../../../src/platform/errors/errors.ts'
import { NOW, statuses, well } from '../../support/statuses.ts'

test('a service that works gives no advice', () => {
  assert.deepEqual(findingsOf(well, NOW), [])
})

for (const [name, change, level, text] of statuses) {
  test(`${name} is found as a ${level}, with what to do`, () => {
    const [finding, ...others] = findingsOf({ ...well, ...change }, NOW)
    assert.deepEqual(others, [])
    assert.equal(finding?.level, level)
    assert.match(finding.text, text)
    assert.match(finding.advice, /\w+.*\.$/)
  })
}

test('a repeated warning is one line with its cause and advice', () => {
  const { log, recent } = countLines(() => {})
  const warn = warnWith(log)
  const slow = new Failure('unavailable', { cause: new Error('canceling statement: timeout') })
  const { message: sentence } = slow
  for (let at = 0; at < 12; at += 1) warn('the heartbeat failed', slow)
  warn('a backup failed', new Error('no space'))
  const lines = recent.map(({ message, error, times }) => [message, error, times])
  assert.deepEqual(lines, [
    ['the heartbeat failed', `${sentence.replace(/\.$/, '')}: canceling statement: timeout`, 12],
    ['a backup failed', 'no space', 1],
  ])
  const text = textOf({ asked: '', service: { ...well, last_errors: recent }, findings: [] })
  assert.match(
    text,
    /^warn +\S+ the heartbeat failed: .+: canceling statement: timeout \(12 times\)$/m,
  )
  assert.match(text, /^warn +\S+ a backup failed: no space$/m)
  assert.match(text, /^to do +nothing now\. .*too slow for its load\.$/m)
  assert.match(textOf({ asked: '', service: well, findings: [] }), /^to do +nothing$/m)
})

test('the clocks are compared by responses that came fast, and by no others', () => {
  const logged: unknown[] = []
  const watch = createClockWatch((_level, _message, fields) => void logged.push(fields))
  watch.onOffset(-5_200, 5_200)
  assert.deepEqual([watch.offset(), logged], [0, []])
  watch.onOffset(-6_000, 20)
  assert.deepEqual([watch.offset(), logged], [-6, [{ database_ahead_s: -6 }]])
})
