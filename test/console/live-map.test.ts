/** The reads of the console that a hint of the live stream makes again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ignoredEvents,
  mayShow,
  patternOf,
  readsOf,
  readsOfEvent,
  readsOfKind,
  liveReads,
} from '../../console/src/live/map.ts'
import { kinds } from '../../src/features/events/live/watched-resources.ts'
import { operations } from '../../sdk/schema.ts'
import { eventTypes } from '../../src/platform/record/event.ts'

test('every type of event is either mapped to reads or listed as ignored', () => {
  const known = new Set<string>(eventTypes)
  const patterns = new Set(eventTypes.map(patternOf))
  for (const type of eventTypes) {
    const isMapped = type in readsOfEvent || patternOf(type) in readsOfEvent
    const isIgnored = ignoredEvents.includes(patternOf(type))
    assert.ok(isMapped !== isIgnored, type)
  }
  for (const name of [...Object.keys(readsOfEvent), ...ignoredEvents]) {
    assert.ok(known.has(name) || patterns.has(name), `there is no ${name}`)
  }
})

test('changes without events are mapped, too, and every read is an operation', () => {
  const withoutEvents = [...Object.keys(kinds), 'command']
  assert.deepEqual(Object.keys(readsOfKind).sort(), withoutEvents.sort())
  for (const id of liveReads) assert.equal(operations[id].method, 'GET', id)
})

test('a hint makes only reads again that may show its thing', () => {
  const hint = { kind: 'device', id: 'dev_1', events: ['device.connected'] }
  assert.ok(readsOf(hint).has('getConnectionLog'))
  assert.ok(!readsOf(hint).has('listJobs'))
  const halted = { kind: 'rotation_campaign', id: 'cmp_1', events: ['rotation_campaign.halted'] }
  assert.ok(readsOf(halted).has('getOverview'))
  assert.ok(readsOf({ ...hint, events: [] }).has('getDeviceState'))
  assert.ok(mayShow({ id: 'ws_1' }, hint))
  assert.ok(mayShow({ id: 'ws_1', device_id: 'dev_1' }, hint))
  assert.ok(!mayShow({ id: 'ws_1', device_id: 'dev_2' }, hint))
  const command = { kind: 'command', id: 'cmd_1', device_id: 'dev_2', events: [] }
  assert.ok(!mayShow({ device_id: 'dev_1' }, command))
  assert.ok(mayShow({ id: 'ws_1' }, { ...hint, id: null }))
})
