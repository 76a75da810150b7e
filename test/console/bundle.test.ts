/**
 * The files that people load to see the console. `npm ci` builds it; after a change, `node
 * console/build.ts`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budget, weighConsole } from '../../console/budget.ts'

const weights = weighConsole()
const skip = weights === undefined && 'the console has not been built'

test('the sign-in stays within its budget', { skip }, () => {
  assert.ok(weights)
  assert.ok(weights.signIn <= budget.signIn, `${weights.signIn} bytes`)
  assert.ok(weights.signInGerman <= budget.signIn, `${weights.signInGerman} bytes in German`)
})

test('the frame with the list of devices stays within its budget', { skip }, () => {
  assert.ok(weights)
  assert.ok(weights.deviceList <= budget.deviceList, `${weights.deviceList} bytes`)
})

test('no page adds more than its budget', { skip }, () => {
  assert.ok(weights)
  assert.ok(weights.pages.size > 10, `only ${weights.pages.size} pages were found`)
  const heavy = [...weights.pages].filter(([, weight]) => weight > budget.page)
  assert.deepEqual(heavy, [])
})
