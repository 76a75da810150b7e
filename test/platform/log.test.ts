/** Lines of the log: JSON, above a level, and with a priority for journald and syslog on demand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/platform/log.ts'
import { watchStderr } from '../support/stderr.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const

test('with priorities each line begins with that of its level, and is JSON after it', (t) => {
  const lines = watchStderr(t)
  const log = createLog('debug', 'on')
  for (const level of levels) log(level, 'a test of the log', { of: level })
  const parts = lines().map((line) => /^<(\d)>(\{.*\})$/.exec(line) ?? [])
  // RFC 5424 section 6.2.1: debug, informational, warning, error.
  assert.deepEqual(
    parts.map(([, priority]) => priority),
    ['7', '6', '4', '3'],
  )
  const read = parts.map(([, , text = '']) => JSON.parse(text) as Record<string, string>)
  assert.deepEqual(
    read.map(({ level, of }) => [level, of]),
    levels.map((level) => [level, level]),
  )
})

test('by default a line is JSON alone, and lines below the level are not written', (t) => {
  const lines = watchStderr(t)
  const log = createLog('warn')
  for (const level of levels) log(level, 'a test\nof the log')
  const read = lines().map((line) => JSON.parse(line) as Record<string, string>)
  assert.deepEqual(
    read.map(({ level, message }) => [level, message]),
    ['warn', 'error'].map((level) => [level, 'a test\nof the log']),
  )
})
