/** Where the console starts, by the workspaces of a person. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOf } from '../../console/src/pages/workspaces/start-of.ts'

const acme = { id: 'ws_1', status: 'active' } as const
const borealis = { id: 'ws_2', status: 'active' } as const
const suspended = { id: 'ws_3', status: 'suspended' } as const

test('the console starts in the only workspace, whatever was used before', () => {
  assert.equal(startOf([acme], null), acme)
  assert.equal(startOf([acme], 'ws_9'), acme)
})

test('the console starts in the last of several workspaces, if the person is still in it', () => {
  assert.equal(startOf([acme, borealis], 'ws_2'), borealis)
  assert.equal(startOf([acme, borealis], 'ws_9'), undefined)
  assert.equal(startOf([acme, borealis], null), undefined)
})

test('the console starts with the list without a workspace, or where that is suspended', () => {
  assert.equal(startOf([], 'ws_1'), undefined)
  assert.equal(startOf([suspended], null), undefined)
  assert.equal(startOf([acme, suspended], 'ws_3'), undefined)
})
