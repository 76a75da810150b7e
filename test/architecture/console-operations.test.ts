/**
 * The console offers every operation of the API for people: a page uses each operation of the
 * reference, or a line here says why it is not for people.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { operations } from '../../src/operations.ts'
import { ROOT } from '../support/sources.ts'

/** Operations with these tags are called by machines. */
const machines: Readonly<Record<string, string>> = {
  Provisioning: 'called by factory lines, with a provision key',
  'Devices themselves': 'called by devices, with a token of their own',
  'Mobile identity': 'called by phones, with a session of theirs',
}

const notForPeople: Readonly<Record<string, string>> = {
  verifyMfa: 'the console has operations of its own for its sessions',
  exchangeAuthorizationCode: 'programs call it, with what a page of the console has given them',
  refreshSession: 'the console has operations of its own for its sessions',
  logout: 'the console has operations of its own for its sessions',
  watchLive: 'the stream that keeps all pages current; live/stream.ts opens it',
  replaceDeviceState:
    'a state is what a device says of itself; programs that stand in for one set it',
  patchDeviceState:
    'a state is what a device says of itself; programs that stand in for one set it',
  patchDeviceConfig: 'the page replaces the configuration that it shows, with its revision',
  getCustomField: 'the list has all of it',
  getCommand: 'the list has all of it, and stays current',
  getConnection: 'the list has all of it',
  cutConnection: 'cutConnections takes one as well, and ends in a receipt',
  updateDeviceNote: 'a note stays as it was written: one is deleted, another is added',
}

const FOLDER = join(ROOT, 'console/src')
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
  .join('\n')

/** As an argument of a hook or a call, or as a member of the table of operations. */
const isUsed = (id: string): boolean =>
  new RegExp(`'${id}'|"${id}"|operations\\.${id}\\b`).test(sources)

const offered = operations.filter(({ summary }) => summary !== undefined)

test('a page of the console uses every operation that is for people', () => {
  const missing = offered
    .filter(({ id, tag }) => !(tag in machines) && !(id in notForPeople) && !isUsed(id))
    .map(({ id }) => id)
  assert.deepEqual(missing, [])
})

test('each operation that is listed as not for people exists, and no page uses it', () => {
  const ids = new Set(offered.map(({ id }) => id))
  assert.deepEqual(
    Object.keys(notForPeople).filter((id) => !ids.has(id) || isUsed(id)),
    [],
  )
  const tags = new Set<string>(offered.map(({ tag }) => tag))
  assert.deepEqual(
    Object.keys(machines).filter((tag) => !tags.has(tag)),
    [],
  )
})
