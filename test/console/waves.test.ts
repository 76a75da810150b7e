/** The texts about waves in the form of a rotation, before it is started. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planOf } from '../../console/src/pages/rotations/waves.ts'

const draft = { wave: '10', pause: '5', rate: '5' }

describe('the plan of a rotation', () => {
  test('of few devices has waves of one, and a single failure halts it', () => {
    const plan = { waves: 7, size: 1, minutes: 30, haltsAtOnce: true }
    assert.deepEqual(planOf(7, draft), plan)
  })

  test('of many devices bears failures up to the limit', () => {
    const plan = { waves: 10, size: 100, minutes: 45, haltsAtOnce: false }
    assert.deepEqual(planOf(1_000, draft), plan)
    assert.equal(planOf(200, draft)?.haltsAtOnce, false)
    assert.equal(planOf(190, draft)?.haltsAtOnce, true)
  })

  test('in one wave has no pause', () => {
    assert.equal(planOf(7, { ...draft, wave: '100' })?.minutes, 0)
  })

  test('is none as long as a number is missing, or no device passes', () => {
    assert.equal(planOf(0, draft), undefined)
    for (const wave of ['', '0', 'many', '101']) {
      assert.equal(planOf(7, { ...draft, wave }), undefined, wave)
    }
    assert.equal(planOf(7, { ...draft, pause: ' ' }), undefined)
  })
})
