/** The display of a serial format in the console, compared with the keys that the service makes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serialExample, serialExamples } from '../../console/src/api/serial-format.ts'
import {
  parseSerialFormat,
  renderSerial,
} from '../../src/features/devices/templates/serial-format.ts'

const now = new Date('2026-03-04T05:06:07Z')

describe('examples of a serial format', () => {
  for (const format of ['L-%Y-%#f', '%ws.%M%D_%H-%#f', 'TB%#f']) {
    test(`${format} has the format of the service`, () => {
      const parsed = parseSerialFormat(format)
      assert.ok(!('error' in parsed))
      const values = { slug: 'acme', now, sequence: 42 }
      const example = serialExample(format, { ...values, random: () => 0 })
      assert.equal(example, renderSerial(parsed, values))
    })
  }

  test('random characters have the form of those of the service', () => {
    const [first = '', second] = serialExamples('X-%4r-%6r', 'acme', now)
    assert.match(first, /^X-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{6}$/)
    assert.notEqual(first, second)
  })

  test('text that is no token stays, for the service to refuse', () => {
    assert.deepEqual(serialExamples('A-%Q', 'acme', now), ['A-%Q', 'A-%Q', 'A-%Q'])
  })
})
