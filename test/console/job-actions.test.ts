/** Jobs in lists and logs, by the name that the service gives them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../../sdk/schema.ts'
import { jobLabel, titleOf } from '../../console/src/session/job-actions.ts'

test('a job is named by what it does, not as the service writes it', () => {
  assert.equal(jobLabel('job: tag'), 'Tag devices')
  assert.equal(jobLabel('job: move template'), 'Move to a template')
  assert.equal(jobLabel('job: of a later version'), 'job: of a later version')
})

test('a job that sends a command is named by it', () => {
  const parameters = { name: 'identify', payload: {} }
  assert.equal(titleOf({ action: 'command', parameters }), 'Send a command: identify')
  assert.equal(titleOf({ action: 'command', parameters: {} }), 'Send a command')
})

test('a job that tags devices is named by its tags too', () => {
  const named = (parameters: Job['parameters']): string => titleOf({ action: 'tag', parameters })
  assert.equal(named({ set: { floor: '1' } }), 'Tag devices: floor = 1')
  assert.equal(named({ remove: ['floor', 'room'] }), 'Tag devices: without floor, room')
  assert.equal(titleOf({ action: 'suspend', parameters: {} }), 'Suspend devices')
})
