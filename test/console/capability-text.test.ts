/**
 * The permitted names of a capability: the service refuses the rest, or one would replace another.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nameFault } from '../../console/src/pages/templates/capability-text.ts'

const NAMES = ['temperature', 'mode']

describe('the name of a capability', () => {
  test('is one that the template does not have yet', () => {
    assert.equal(nameFault('humidity', '', NAMES), undefined)
    assert.equal(nameFault('mode', '', NAMES), 'There is already a capability mode.')
    assert.equal(nameFault('mode', 'temperature', NAMES), 'There is already a capability mode.')
  })

  test('may stay as it is when its definition changes', () => {
    assert.equal(nameFault('mode', 'mode', NAMES), undefined)
  })

  test('has the characters that the service takes', () => {
    assert.equal(nameFault('', '', NAMES), 'Name it.')
    assert.equal(nameFault('air.co2_ppm-1', '', NAMES), undefined)
    for (const name of ['Mode', '2nd', 'a b', 'größe']) {
      assert.match(nameFault(name, '', NAMES) ?? '', /^Its name begins with a letter/)
    }
  })
})
