/** The text about a rotation on the page of a device: only known facts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stageOfPasswords } from '../../console/src/pages/devices/rotation-stage.ts'
import type { DeviceCredential } from '../../sdk/schema.ts'

const AT = '2026-01-02T03:04:05.000Z'

const password = (changes: Partial<DeviceCredential>): DeviceCredential => ({
  kind: 'mqtt',
  generation: 2,
  issued_by: 'rotation',
  status: 'pending',
  created_at: AT,
  confirmed_at: null,
  expires_at: AT,
  ...changes,
})

const used = { status: 'confirmed', confirmed_at: AT, expires_at: null } as const

const titleOf = (passwords: DeviceCredential[], storing = ''): string =>
  stageOfPasswords(passwords, storing, (at) => at).title

test('a rotation is done when a password that a rotation issued was used', () => {
  assert.equal(titleOf([]), 'It has been asked to fetch new credentials.')
  assert.equal(titleOf([password({})]), 'It has fetched new credentials.')
  assert.equal(titleOf([password(used)]), `Rotation done at ${AT}.`)
  const again = password({ generation: 3 })
  assert.equal(titleOf([again, password(used)]), `Rotation done at ${AT}.`)
})

test('a device that is offline is not said to have been asked', () => {
  const { title } = stageOfPasswords([], '', (at) => at, true)
  assert.equal(title, 'It is offline, and is asked to fetch new credentials when it connects.')
  assert.equal(stageOfPasswords([password({})], '', String, true).title, titleOf([password({})]))
})

test('a reset is no rotation, neither before nor after its password is used', () => {
  const reset = { issued_by: 'reset', status: 'confirmed', expires_at: null } as const
  const said = 'Its credentials were reset meanwhile.'
  assert.equal(titleOf([password(reset)]), said)
  const isOver = (changes: Partial<DeviceCredential>) =>
    stageOfPasswords([password({ ...reset, ...changes })], '', String).isOver === true
  assert.ok(!isOver({}), 'the device needs the password')
  assert.ok(isOver(used), 'the device has it')
  const later = password({ generation: 3 })
  assert.equal(titleOf([later, password(reset)]), 'It has fetched new credentials.')
})

test('where a broker keeps passwords, the page says that it sees no use, with advice', () => {
  const { title, text } = stageOfPasswords([password({})], 'site', (at) => at)
  assert.equal(title, 'It has fetched new credentials.')
  assert.match(text ?? '', /^On site .* no use of it is reported here.*reset its credentials\.$/)
})
