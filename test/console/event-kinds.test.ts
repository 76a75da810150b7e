/** The events that a form offers, and the value that it makes of the chosen ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenOf, eventKinds, noTypes, typesOf } from '../../console/src/api/event-kinds.ts'
import { eventTypes } from '../../sdk/event-types.ts'

test('every type of event is of one kind that can be chosen, and no kind is empty', () => {
  const patterns = new Set(eventTypes.map((type) => `${type.split('.')[0]}.*`))
  assert.deepEqual(new Set(eventKinds.map(([pattern]) => pattern)), patterns)
})

test('chosen types are sent as they came; none means all', () => {
  assert.equal(typesOf(noTypes), null)
  assert.deepEqual(chosenOf(null), noTypes)
  const types = ['device.*', 'member.removed', 'claim.created']
  assert.deepEqual(typesOf(chosenOf(types)), types)
  // Also a type that this build does not know.
  assert.deepEqual(typesOf(chosenOf(['lamp.lit'])), ['lamp.lit'])
})
