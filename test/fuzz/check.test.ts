/** The fuzzer's own tests: it distinguishes a wrong response from a right one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openapiDocument } from '../../src/platform/http/openapi.ts'
import { codings, compress } from '../../src/platform/lib/compression.ts'
import { operations } from '../../src/operations.ts'
import { Check, type Checked } from './check.ts'
import { type ReceivedResponse, readResponse } from './connection.ts'
import { readDocument, type Target } from './document.ts'
import { randomOf } from './random.ts'

const MARKER = 'zzsomethingforeignzz'
const whole = openapiDocument(operations) as unknown as Parameters<typeof readDocument>[0]
const document = readDocument(whole)

const targetOf = (id: string): Target => {
  const target = document.targets.find((each) => each.id === id)
  assert.ok(target !== undefined, id)
  return target
}

/** A response as it is sent. */
function responseOf(status: number, body: unknown, type?: string): ReceivedResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const usual = status >= 400 ? 'application/problem+json' : 'application/json'
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: ${type ?? usual}\r\n`
  const bytes = `${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  return readResponse(Buffer.from(bytes), false) as ReceivedResponse
}

const problem = (status: number, code: string) => ({
  type: `/api/v1/errors/${code}`,
  title: 'x',
  status,
  detail: 'x',
  instance: '/x',
  code,
  message: 'x',
  trace_id: 'x',
})

function faultOf(response: ReceivedResponse, changes: Partial<Checked> = {}): string | undefined {
  const target = targetOf('listWorkspaces')
  const usual: Checked = {
    target,
    method: target.method,
    sender: 'right',
    kind: 'plain',
    isStray: false,
    body: undefined,
  }
  return new Check(document).of({ ...usual, ...changes }, response, MARKER)
}

test('documented behaviour is no fault', () => {
  assert.equal(faultOf(responseOf(200, { items: [], next_cursor: null })), undefined)
  const refusal = responseOf(400, problem(400, 'invalid_request'))
  assert.equal(faultOf(refusal, { sender: 'none' }), undefined)
  assert.equal(faultOf(responseOf(404, problem(404, 'not_found')), { isStray: true }), undefined)
})

test('undocumented behaviour is a fault', () => {
  const page = { items: [], next_cursor: null }
  const faults: [RegExp, ReceivedResponse, Partial<Checked>?][] = [
    [/a failure of the service/, responseOf(500, problem(500, 'internal_error'))],
    [/a failure of the service/, responseOf(503, problem(503, 'unavailable'))],
    [/the status/, responseOf(204, '')],
    [/the status/, responseOf(404, problem(404, 'not_found'))],
    [/the code/, responseOf(400, problem(400, 'malformed_csv'))],
    [/another status/, responseOf(400, problem(401, 'invalid_request'))],
    [/no code/, responseOf(400, { status: 400 })],
    [/of the type/, responseOf(400, 'Bad Request', 'text/plain')],
    [/its shape/, responseOf(200, { ...page, items: [{}] })],
    [/its shape/, responseOf(200, { items: [] })],
    [/its shape/, responseOf(400, { status: 400, code: 'invalid_request' })],
    [/the media type/, responseOf(200, 'x', 'text/html')],
    [/another workspace/, responseOf(200, { ...page, next_cursor: MARKER })],
    [/without a good credential/, responseOf(200, page), { sender: 'no good' }],
    [/without a good credential/, responseOf(200, page), { sender: 'none' }],
    [/HEAD/, responseOf(200, page), { method: 'HEAD' }],
    [/no response/, { ...responseOf(200, page), status: 0 }],
    [/cut off/, { ...responseOf(200, page), status: 0, isDisconnected: true }],
  ]
  for (const [fault, response, changes] of faults)
    assert.match(faultOf(response, changes) ?? '', fault)
})

test('a response is read once it is whole, in whatever pieces it comes', () => {
  const chunked =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' +
    '3\r\nabc\r\na\r\n0\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n'
  const sized = 'HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nabc'
  for (const text of [chunked, sized]) {
    const bytes = Buffer.from(text)
    for (let length = 0; length < bytes.length; length += 1) {
      assert.equal(readResponse(bytes.subarray(0, length), false), undefined, String(length))
    }
    assert.match(readResponse(bytes, false)?.body.toString() ?? '', /^abc/)
  }
  assert.equal(readResponse(Buffer.from('HTTP/1.1 204 No\r\n\r\n'), false)?.status, 204)
  assert.equal(readResponse(Buffer.from(sized.slice(0, -3)), true)?.status, 404)
})

test('a compressed response is read as the text that it stands for', async () => {
  for (const coding of codings) {
    const body = await compress('[1]', coding)
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}`
    const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body])
    assert.equal(readResponse(bytes, false)?.body.toString(), '[1]')
  }
})

test('a request of the same seed and number is made with the same choices', () => {
  const choices = (seed: number, number: number): number[] => {
    const random = randomOf(seed, number)
    return Array.from({ length: 20 }, () => random.below(1e9))
  }
  assert.deepEqual(choices(7, 1), choices(7, 1))
  assert.notDeepEqual(choices(7, 1), choices(7, 2))
  assert.notDeepEqual(choices(7, 1), choices(8, 1))
})
