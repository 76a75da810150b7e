/** When an authority wants a certificate renewed (RFC 9773), and what counts as no advice. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createAcmeAuthority } from '../../../src/adapters/acme/authority.ts'
import { certificateIdOf } from '../../../src/adapters/acme/certificate-id.ts'
import { makeAuthority } from '../../support/certificates.ts'

const authorityKeyId = Buffer.from('69885b6b87464041e1b37b847ba0ae2cde01c8d4', 'hex')
const root = makeAuthority('Root')
const { cert } = root.issueAs({ hosts: ['example.com'], authorityKeyId })
const rest = { contact: undefined, roots: root.cert, binding: undefined }

interface Advice {
  status: number
  body: unknown
  retryAfter?: string
}

const window = (start: string, end: string) => ({ suggestedWindow: { start, end } })
const good = window('2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z')

describe('an authority', () => {
  let directory: object = {}
  let advice: Advice = { status: 404, body: {} }
  const server = createServer(root.issue('127.0.0.1'), ({ url = '' }, response) => {
    const isAsked = url === `/renewals/${certificateIdOf(cert)}`
    const { status, body, retryAfter } = isAsked ? advice : { status: 200, body: directory }
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    })
    response.end(JSON.stringify(body))
  })
  let origin = ''
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Asks an authority that has just been found. */
  const ask = (given: Advice, entries: object = { renewalInfo: `${origin}/renewals/` }) => {
    advice = given
    directory = entries
    return createAcmeAuthority({ directoryUrl: `${origin}/dir`, ...rest }).renewalWindow(cert)
  }

  test('returns a renewal window and a finite time for the next request', async () => {
    const [start, end] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 3)]
    for (const [retryAfter, retryAfterSeconds] of [
      ['900', 900],
      ['1', 60],
      ['99999999', 86_400],
      ['soon', 21_600],
    ] as const) {
      const found = await ask({ status: 200, body: good, retryAfter })
      assert.deepEqual(found, { start, end, retryAfterSeconds })
    }
  })

  test('gives no advice for invalid responses or unknown certificates', async () => {
    for (const body of [
      null,
      {},
      window('2026-01-03T00:00:00Z', '2026-01-01T00:00:00Z'),
      window('soon', 'later'),
    ]) {
      assert.equal(await ask({ status: 200, body }), undefined, JSON.stringify(body))
    }
    assert.equal(await ask({ status: 404, body: {} }), undefined)
  })

  test('without renewal information gets no request, and an unavailable one is an error', async () => {
    assert.equal(await ask({ status: 500, body: {} }, {}), undefined)
    await assert.rejects(ask({ status: 500, body: {} }))
    const away = createAcmeAuthority({ directoryUrl: 'https://127.0.0.1:1/dir', ...rest })
    await assert.rejects(away.renewalWindow(cert))
  })
})
