/** Events and acts in words, in English and in German. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { german } from '../../console/src/pages/events/event-types.de.ts'
import { irregular } from '../../console/src/pages/events/event-types.en.ts'
import {
  eventText,
  resourceOf,
  subjectOf,
  typesText,
} from '../../console/src/pages/events/event-labels.ts'
import { type AuditAction, eventTypes } from '../../src/platform/record/event.ts'

/** The compiler refuses an action without German words. */
const words: Readonly<Record<AuditAction, string>> = german
/** The table may also have words for types that are no actions. */
const actionsOf = (table: typeof german): AuditAction[] => {
  const keys = Object.keys(table) as (keyof typeof german)[]
  return keys
}

test('the type of an event reads as a sentence', () => {
  assert.equal(eventText('device.credentials_reset'), 'Device credentials reset')
  assert.equal(eventText('mqtt_principal.created'), 'MQTT login created')
  assert.equal(eventText('device.rotation_asked'), 'Credential rotation requested')
})

test('every action has English words of its own', () => {
  const actions = actionsOf(german)
  assert.equal(new Set(actions.map(eventText)).size, actions.length)
  const known = new Set<string>(actions)
  assert.deepEqual(
    Object.keys(irregular).filter((type) => !known.has(type)),
    [],
  )
})

test('every action has German words of its own', () => {
  const actions = new Set(actionsOf(german))
  assert.deepEqual(
    eventTypes.filter((type) => !actions.has(type)),
    [],
  )
  assert.equal(new Set(Object.values(words)).size, actions.size)
})

test('chosen types read as kinds and sentences', () => {
  assert.equal(typesText(['device.*', 'member.removed']), 'Devices, Member removed')
})

test('a claim is named by its device, and its code by the phone that shows it', () => {
  const [claim_id, device_id, moid_id] = ['clm', 'dev', 'moid'].map(
    (prefix) => `${prefix}_01m8h5b23mez0rvspj0pzg8pq0`,
  )
  const code = { claim_id, moid_id, device_id: null }
  assert.equal(subjectOf({ data: code }), moid_id)
  assert.equal(subjectOf({ data: { claim_id, moid_id: null, device_id } }), device_id)
  const resource = { kind: 'claim', id: claim_id ?? '' }
  assert.equal(resourceOf({ resource, detail: { device_id } })?.id, device_id)
  assert.equal(resourceOf({ resource, detail: code })?.id, moid_id)
  assert.equal(resourceOf({ resource, detail: {} })?.id, claim_id)
  assert.equal(resourceOf({ resource: null, detail: code }), null)
})

test('a refused connection is about the device that tried it', () => {
  const actor = { kind: 'device', id: 'dev_01m8h5b23mez0rvspj0pzg8pq0' } as const
  const entry = { resource: null, actor }
  assert.equal(resourceOf({ ...entry, detail: { operation_id: 'mqtt.connect' } })?.id, actor.id)
  assert.equal(resourceOf({ ...entry, detail: { operation_id: 'getDevice' } }), null)
})
