/** Responses that are streams: their forms, how they fail, and clients that are slow or go away. */
import assert from 'node:assert/strict'
import { type ClientRequest, get as httpGet, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { streamOperation } from '../../../src/context.ts'
import { Failure } from '../../../src/platform/errors/errors.ts'
import { openapiDocument } from '../../../src/platform/http/openapi.ts'
import { formatOf, type StreamChunk } from '../../../src/platform/http/stream-format.ts'
import { secondServer } from '../../support/second-server.ts'
import { useApp } from '../../support/suite-app.ts'
import { until } from '../../support/until.ts'

interface Row {
  n: number
}
type Source = (query: { n?: number }, format: string) => AsyncIterable<StreamChunk<Row>>

let source: Source
const operation = streamOperation({
  id: 'streamRows',
  route: 'GET /rows',
  tag: 'Rows',
  summary: 'Stream rows',
  access: 'public',
  stream: { formats: ['ndjson', 'csv'], filename: 'rows' },
  query: Type.Object({ n: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })) }),
  row: Type.Object({ n: Type.Integer() }),
  fails: ['device_not_found'],
  run: (_context, { query, format }) => source(query, format),
})

test('the form is the requested one, else the preferred one', () => {
  const both = { formats: ['ndjson', 'csv'], filename: 'rows' } as const
  const chosen = (asked: unknown, accept?: string) => formatOf(both, asked, accept)
  assert.equal(chosen(undefined), 'ndjson')
  assert.equal(chosen('csv', 'application/x-ndjson'), 'csv')
  assert.equal(chosen(undefined, 'text/csv'), 'csv')
  assert.equal(chosen(undefined, '*/*'), 'ndjson')
  assert.equal(chosen(undefined, 'TEXT/*;q=0.9, application/x-ndjson; q=0.8'), 'csv')
  assert.equal(chosen(undefined, '*/*, application/x-ndjson;q=0'), 'csv')
  assert.equal(chosen(undefined, 'application/json'), 'ndjson')
  assert.equal(chosen(undefined, ';;,q=x'), 'ndjson')
})

test('the reference names each form of a stream', () => {
  const { paths } = openapiDocument([operation]) as {
    paths: Record<string, { get: { responses: Record<string, { content: object }> } }>
  }
  const content = paths['/rows']?.get.responses['200']?.content ?? {}
  assert.deepEqual(Object.keys(content), ['application/x-ndjson', 'text/csv'])
})

describe('a stream', () => {
  const get = useApp()
  const failures: unknown[] = []
  let server: FastifyInstance
  let url: string

  before(async () => {
    server = secondServer(get(), [operation], {
      onFailure: (error) => void failures.push((error as Error).cause),
    })
    await server.listen({ port: 0, host: '127.0.0.1' })
    url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/api/v1/rows`
  })
  after(() => server.close())

  test('is lines of NDJSON in the documented shape, or text as it is', async () => {
    source = async function* (query, format) {
      if (format === 'csv') yield 'n\r\n'
      const rows = [{ n: query.n ?? 0, secret: 'x' }, { n: 2 }]
      yield format === 'csv' ? rows.map(({ n }) => `${n}\r\n`).join('') : rows
      yield []
      if (format === 'ndjson') yield [{ n: 3 }]
    }
    const lines = await fetch(`${url}?n=7`)
    assert.equal(await lines.text(), '{"n":7}\n{"n":2}\n{"n":3}\n')
    assert.match(lines.headers.get('content-type') ?? '', /^application\/x-ndjson/)
    assert.match(lines.headers.get('content-disposition') ?? '', /"rows\.ndjson"/)
    const table = await fetch(`${url}?format=csv`)
    assert.equal(await table.text(), 'n\r\n0\r\n2\r\n')
    assert.match(table.headers.get('content-type') ?? '', /^text\/csv/)
    const refused = await fetch(`${url}?format=xml`)
    assert.equal(refused.status, 400)
  })

  test('without a body is an empty success', async () => {
    source = async function* () {}
    const empty = await fetch(url)
    assert.deepEqual([empty.status, await empty.text()], [200, ''])
  })

  test('that fails before its first chunk is a problem, and later a broken connection', async () => {
    let early = true
    const cause = new Error('no more')
    source = async function* () {
      if (early) throw new Failure('device_not_found')
      yield [{ n: 1 }]
      yield [{ n: 2 }]
      throw cause
    }
    const refused = await fetch(url)
    assert.equal(refused.status, 404)
    assert.equal(((await refused.json()) as { code: string }).code, 'device_not_found')
    assert.deepEqual(failures, [])
    early = false
    await assert.rejects(fetch(url).then((broken) => broken.text()))
    assert.deepEqual(failures, [cause])
  })

  const open = (): Promise<{ request: ClientRequest; response: IncomingMessage }> =>
    new Promise((resolve, reject) => {
      const request = httpGet(url, (response) => resolve({ request, response }))
      request.on('error', reject)
    })

  test('goes no faster than its client reads, and ends with it', async () => {
    const line = 'x'.repeat(65_536)
    let made = 0
    let ended = false
    source = async function* () {
      try {
        for (;;) {
          made += 1
          yield line
          await new Promise(setImmediate)
        }
      } finally {
        ended = true
      }
    }
    const { request, response } = await open()
    response.pause()
    let before = -1
    await until('nothing more is made', async () => {
      if (made === before) return true
      before = made
      await new Promise((resolve) => setTimeout(resolve, 100))
      return false
    })
    assert.ok(made < 400, `${made} chunks for a client that reads none`)
    assert.equal(ended, false)
    request.on('error', () => {})
    request.destroy()
    await until('the source has ended', () => ended)
  })

  test('whose client disconnects before the first chunk ends too', async () => {
    let started = false
    let ended = false
    const gone = Promise.withResolvers<void>()
    source = async function* () {
      try {
        started = true
        await gone.promise
        yield 'x'
      } finally {
        ended = true
      }
    }
    const request = httpGet(url)
    request.on('error', () => {})
    await until('the source is asked', () => started)
    const closed = new Promise((resolve) => request.on('close', resolve))
    request.destroy()
    await closed
    gone.resolve()
    await until('the source has ended', () => ended)
  })
})
