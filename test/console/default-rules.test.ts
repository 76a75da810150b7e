/** The default rules that pages show and offer are those that the service applies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRules } from '../../console/src/pages/rules/default-rules.ts'
import { DEFAULT_DEVICE_RULES } from '../../src/adapters/broker/topics.ts'

test('pages show the default rules of the service', () => {
  // `cmd/#` matches `cmd` as well, so that pages leave it out.
  const isShown = ({ topic }: { topic: string }): boolean => !topic.endsWith('/cmd')
  assert.deepEqual(defaultRules, DEFAULT_DEVICE_RULES.filter(isShown))
})
