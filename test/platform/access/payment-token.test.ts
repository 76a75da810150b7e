/** The credential of the document in which people pay. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyring } from '../../../src/platform/access/keyring.ts'
import {
  issuePaymentToken,
  PAYMENT_TOKEN_SECONDS,
  readPaymentToken,
} from '../../../src/platform/access/payment-token.ts'
import { newUuid } from '../../../src/platform/lib/ids.ts'

const keyring = createKeyring(Buffer.alloc(32, 1))
const grant = { userId: newUuid(), sessionId: newUuid(), workspaceId: newUuid() }
const now = Date.UTC(2026, 10, 25)

test('a payment token names the payer and the workspace, until it expires', () => {
  const token = issuePaymentToken(keyring, grant, now)
  assert.deepEqual(readPaymentToken(keyring, token, now), grant)
  const last = now + PAYMENT_TOKEN_SECONDS * 1_000
  assert.deepEqual(readPaymentToken(keyring, token, last - 1), grant)
  assert.equal(readPaymentToken(keyring, token, last), undefined)
})

test('a payment token does not show which session it belongs to', () => {
  const token = issuePaymentToken(keyring, grant, now)
  const text = token + Buffer.from(token.slice('pay_token_'.length), 'base64url').toString('latin1')
  for (const id of Object.values(grant)) assert.ok(!text.includes(id.slice(-12)))
})

test('an altered payment token, and one of another installation, are none', () => {
  const token = issuePaymentToken(keyring, grant, now)
  const other = createKeyring(Buffer.alloc(32, 2))
  assert.equal(readPaymentToken(other, token, now), undefined)
  for (const text of ['', 'pay_token_', 'pay_token_AAAA', token.slice(0, -1), `${token}A`]) {
    assert.equal(readPaymentToken(keyring, text, now), undefined, text)
  }
  for (let at = 'pay_token_'.length; at < token.length; at += 7) {
    const letter = token[at] === 'A' ? 'B' : 'A'
    const altered = token.slice(0, at) + letter + token.slice(at + 1)
    assert.equal(readPaymentToken(keyring, altered, now), undefined)
  }
})
