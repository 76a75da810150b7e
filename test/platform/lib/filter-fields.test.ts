/** The refusals of a filter of fields: at the part that is wrong, in a sentence for people. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FilterError } from '../../../src/platform/lib/filter-grammar.ts'
import { readListFilter } from '../../../src/platform/lib/list-filter.ts'

const fields = {
  status: { type: 'word', words: ['active', 'suspended', 'ended'] },
  device_id: { type: 'id', prefix: 'dev' },
  created_at: { type: 'time' },
  name: { type: 'text' },
  tags: { type: 'set' },
} as const

const REFUSED: [text: string, message: string][] = [
  ['status = foo', 'at character 10: status must be active, suspended or ended'],
  ['name = x AND (status != "foo")', 'at character 25: status must be active, suspended or ended'],
  ['status < active', 'at character 8: status can only be compared with = or !='],
  [
    'stauts = active',
    'at character 1: there is no such field; the fields are status, device_id, created_at, name, tags',
  ],
  ['device_id = 7', 'at character 13: device_id must be an id, dev_…'],
  [
    'created_at > yesterday',
    'at character 14: created_at must be a time such as 2026-01-31T08:00:00Z, or a day',
  ],
  ['tags : a*', 'at character 8: tags must be a text without a *'],
]

test('a refusal points at the wrong field, operator or value, and names the valid ones', () => {
  for (const [text, message] of REFUSED) {
    assert.throws(
      () => readListFilter(text, fields),
      (error) => {
        assert.ok(error instanceof FilterError, text)
        assert.equal(error.message, message)
        return true
      },
    )
  }
})
