/** Logins that hooks answer badly on purpose: only signed ones, and not for long. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  hookFaults,
  makeHookProbe,
  readHookProbe,
} from '../../../src/platform/access/hook-probe.ts'
import { createKeyring } from '../../../src/platform/access/keyring.ts'

const keyring = createKeyring(randomBytes(32))
const now = Date.UTC(2026, 0, 1)

test('a login says how it wants to be answered, for five minutes', () => {
  for (const fault of hookFaults) {
    const { username, password } = makeHookProbe(keyring, fault, now)
    assert.equal(readHookProbe(keyring, username, password, now), fault)
    assert.equal(readHookProbe(keyring, username, password, now + 299_000), fault)
    assert.equal(readHookProbe(keyring, username, password, now + 301_000), undefined)
  }
})

test('a probe cannot be forged or extended', () => {
  const { username, password } = makeHookProbe(keyring, 'error', now)
  const other = makeHookProbe(createKeyring(randomBytes(32)), 'error', now)
  const forged: [string | undefined, string | undefined][] = [
    [username, undefined],
    [undefined, password],
    [username, ''],
    [username, password.slice(2)],
    [username, `${password.slice(0, -2)}zz`],
    [username, other.password],
    [username.replace('error', 'hang'), password],
    [`${username}0`, password],
    [`x${username}`, password],
  ]
  for (const [name, secret] of forged) {
    assert.equal(readHookProbe(keyring, name, secret, now), undefined, `${name} ${secret}`)
  }
})
