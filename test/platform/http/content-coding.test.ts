/** Large responses to GET are compressed for clients that can read it; tags name what was sent. */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Type from 'typebox'
import { codingOf } from '../../../src/platform/http/content-coding.ts'
import { operationOf } from '../../../src/platform/http/operation.ts'
import { respond } from '../../../src/platform/http/reply.ts'
import type { AllServices } from '../../../src/operations.ts'
import { secondServer } from '../../support/second-server.ts'
import { useApp } from '../../support/suite-app.ts'

test('the client chooses the coding; among equals brotli, gzip, none', () => {
  const cases: readonly [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.5, identity', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['deflate, zstd', undefined],
    ['identity', undefined],
    ['br;q=x', undefined],
  ]
  for (const [header, coding] of cases) assert.equal(codingOf(header), coding, header)
})

const text = (length: number) => 'lamp '.repeat(length / 5)
const Text = Type.Object({ text: Type.String() }, { title: 'Text' })
const operation = operationOf<AllServices>()
const read = (id: string, length: number, more: { mayHoldSecrets?: true } = {}) =>
  operation({
    id,
    route: `GET /${id}`,
    tag: 'Things',
    access: 'public',
    returns: { 200: Text },
    fails: [],
    ...more,
    run: () => Promise.resolve(respond(200, { text: text(length) }, { revision: 7 })),
  })

suite('a response', () => {
  const get = useApp()
  let inject: (
    path: string,
    headers?: Record<string, string>,
    method?: 'GET' | 'HEAD' | 'POST',
  ) => Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>

  before(() => {
    const change = operation({
      id: 'change',
      route: 'POST /change',
      tag: 'Things',
      access: 'public',
      returns: { 200: Text },
      fails: [],
      run: () => Promise.resolve(respond(200, { text: text(5_000) })),
    })
    const server = secondServer(get(), [
      read('large', 5_000),
      read('huge', 500_000),
      read('small', 500),
      read('secret', 5_000, { mayHoldSecrets: true }),
      change,
    ])
    inject = async (path, headers = { 'accept-encoding': 'gzip, deflate, br' }, method = 'GET') => {
      const response = await server.inject({ method, url: `/api/v1/${path}`, headers })
      return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload }
    }
  })

  test('of some size is compressed as asked, and says so', async () => {
    const plain = await inject('large', {})
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(plain.headers.vary, 'Accept-Encoding')
    for (const [path, length] of [
      ['large', 5_000],
      ['huge', 500_000],
    ] as const) {
      const wanted = JSON.stringify({ text: text(length) })
      for (const [coding, decode] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const { headers, bytes } = await inject(path, { 'accept-encoding': coding })
        assert.equal(headers['content-encoding'], coding)
        assert.equal(headers.vary, 'Accept-Encoding')
        assert.equal(headers['content-type'], 'application/json; charset=utf-8')
        assert.equal(headers['content-length'], String(bytes.length))
        assert.ok(bytes.length < wanted.length / 4)
        assert.equal(decode(bytes).toString(), wanted)
      }
    }
  })

  test('has a tag for each coding, and all of them name the same revision', async () => {
    const tags: string[] = []
    for (const coding of ['br', 'gzip', 'identity']) {
      const { headers } = await inject('large', { 'accept-encoding': coding })
      const tag = String(headers.etag)
      assert.match(tag, /^"7-[\w-]+"$/)
      const known = { 'accept-encoding': coding, 'if-none-match': tag }
      const again = await inject('large', known)
      assert.deepEqual([again.status, again.headers.etag, again.bytes.length], [304, tag, 0])
      assert.equal(again.headers['content-encoding'], undefined)
      assert.equal(again.headers.vary, 'Accept-Encoding')
      tags.push(tag)
    }
    assert.equal(new Set(tags).size, 3)
    const other = { 'accept-encoding': 'gzip', 'if-none-match': tags[0] as string }
    assert.equal((await inject('large', other)).status, 200)
  })

  test('to HEAD has the headers of the one to GET', async () => {
    const [head, whole] = [await inject('large', undefined, 'HEAD'), await inject('large')]
    assert.equal(head.bytes.length, 0)
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary']) {
      assert.deepEqual(head.headers[name], whole.headers[name], name)
    }
  })

  test('that is small, may hold secrets or is to a change stays as it is', async () => {
    const cases = [
      ['small', 'GET'],
      ['secret', 'GET'],
      ['change', 'POST'],
    ] as const
    for (const [path, method] of cases) {
      const { status, headers } = await inject(path, undefined, method)
      assert.deepEqual([status, headers['content-encoding']], [200, undefined], path)
      assert.equal(headers.vary, undefined, path)
    }
  })
})
