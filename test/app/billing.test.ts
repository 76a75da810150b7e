/** The configuration of invoices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sellerLines } from '../../src/app/billing.ts'

test('the issuer of invoices has lines, whatever ends them', () => {
  const lines = ['Acme, Inc.', 'Kai 7', 'DE123']
  assert.deepEqual(sellerLines('Acme, Inc. | Kai 7 |DE123'), lines)
  assert.deepEqual(sellerLines('Acme, Inc.\r\nKai 7\n\nDE123\n'), lines)
  assert.deepEqual(sellerLines('Acme Cloud, Kai 7, DE123'), ['Acme Cloud', 'Kai 7', 'DE123'])
  assert.deepEqual(sellerLines('Mooring'), ['Mooring'])
})
