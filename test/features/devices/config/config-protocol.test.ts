/** Messages of the configuration protocol: requests and sent chunks come together again. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import {
  configResponses,
  documentOf,
  metaOf,
  readConfigRequest,
  tooManyRequests,
} from '../../../../src/features/devices/config/config-protocol.ts'

type Members = Record<string, unknown>

const read = (payload: Buffer): Members => JSON.parse(payload.toString()) as Members

const ask = (request: unknown): NonNullable<ReturnType<typeof readConfigRequest>> => {
  const found = readConfigRequest(Buffer.from(JSON.stringify(request)))
  assert.ok(found, JSON.stringify(request))
  return found
}

/** The result of the chunks on a device. */
function assemble(chunks: readonly Buffer[]): { text: Buffer; first: Members } {
  const said = chunks.map(read)
  const [first] = said as [Members]
  for (const [index, chunk] of said.entries()) {
    assert.equal(chunk.chunk_index, index)
    assert.equal(chunk.total_chunks, chunks.length)
    assert.equal(chunk.sha256, first.sha256)
  }
  const parts = said.map(({ data_b64 }) => Buffer.from(String(data_b64), 'base64'))
  for (const part of parts) assert.ok(part.length <= Number(first.chunk_bytes))
  const bytes = Buffer.concat(parts)
  return { text: first.encoding === 'gzip' ? gunzipSync(bytes) : bytes, first }
}

const config = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 40 },
) as fc.Arbitrary<Members>

describe('the configuration protocol', () => {
  test('a document comes together from its chunks, and its hash is that of the text', () => {
    const wants = fc.record({
      chunk_bytes: fc.integer({ min: 64, max: 40_000 }),
      accept_encoding: fc.constantFrom('gzip', ['gzip', 'identity'], ['identity'], undefined),
    })
    fc.assert(
      fc.property(config, wants, (value, want) => {
        const document = documentOf(value, 7, 0)
        const responses = configResponses(ask({ rid: 'r-1', want }), document)
        const { text, first } = assemble(responses)
        assert.deepEqual(text, document.text)
        assert.equal(first.sha256, createHash('sha256').update(text).digest('hex'))
        assert.deepEqual(JSON.parse(text.toString()), JSON.parse(JSON.stringify(value)))
        assert.deepEqual([first.rid, first.ok, first.version], ['r-1', true, 7])
        assert.equal(first.content_type, 'application/json')
      }),
    )
  })

  test('whatever a device sends is read as a request, or as none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        readConfigRequest(Buffer.from(bytes))
      }),
    )
    const odd = fc.record({ rid: fc.jsonValue(), have: fc.jsonValue(), want: fc.jsonValue() })
    fc.assert(
      fc.property(odd, (request) => {
        const found = readConfigRequest(Buffer.from(JSON.stringify(request)))
        if (found === undefined) return
        for (const response of configResponses(found, documentOf({ a: 1 }, 1, 0))) read(response)
      }),
    )
  })

  test('a device that has the same document gets it again, in one chunk where that is enough', () => {
    const document = documentOf({ interval_s: 60 }, 3, 0)
    for (const have of [document.sha256, { version: 3, sha256: document.sha256.toUpperCase() }]) {
      const { text, first } = assemble(configResponses(ask({ rid: 1, have }), document))
      assert.deepEqual(text, document.text)
      assert.equal(first.total_chunks, 1)
    }
  })

  test('a configuration that does not fit is refused, with whether to retry', () => {
    const large = documentOf({ text: 'x'.repeat(30_000) }, 1, 0)
    const refusals = [
      [{ rid: 'a', want: { max_total_bytes: 1_000 } }, 'CONFIG_TOO_LARGE'],
      [{ rid: 'a', want: { chunk_bytes: 128 } }, undefined],
      [{ rid: 'a', want: { max_total_bytes: 0 } }, undefined],
    ] as const
    for (const [request, code] of refusals) {
      const [first] = configResponses(ask(request), large)
      const { ok, error } = read(first as Buffer)
      assert.equal(ok, code === undefined)
      assert.equal((error as Members | undefined)?.code, code)
    }
    const huge = documentOf({ text: 'é'.repeat(30_000) }, 1, 0)
    const [many] = configResponses(ask({ rid: 'a', want: { chunk_bytes: 64 } }), huge)
    assert.deepEqual(read(many as Buffer).error, {
      code: 'CONFIG_TOO_LARGE',
      message:
        'The configuration would take more than 256 chunks of 64 bytes: ask for larger ones.',
      retryable: false,
    })
    assert.equal((read(tooManyRequests('a')).error as Members).retryable, true)
  })

  test('a message without a request id has no response', () => {
    for (const request of [
      {},
      { rid: '' },
      { rid: 'x'.repeat(65) },
      { rid: null },
      [],
      'get',
      1.5,
    ]) {
      assert.equal(readConfigRequest(Buffer.from(JSON.stringify(request))), undefined)
    }
    assert.equal(
      readConfigRequest(Buffer.from(JSON.stringify({ rid: 1, pad: ' '.repeat(3_000) }))),
      undefined,
    )
  })

  test('the meta has version, hash, size and time', () => {
    const document = documentOf({ b: 1, a: 'ü' }, 4, Date.UTC(2026, 0, 2))
    assert.deepEqual(read(metaOf(document)), {
      version: 4,
      sha256: document.sha256,
      bytes: Buffer.byteLength('{"a":"ü","b":1}'),
      updated_at: '2026-01-02T00:00:00.000Z',
    })
  })
})
