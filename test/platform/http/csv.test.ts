/** Bodies as CSV: the rows, whatever the network and the bytes are like. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Failure } from '../../../src/platform/errors/errors.ts'
import { type CsvColumns, readCsv } from '../../../src/platform/http/csv.ts'
import type { Row } from '../../../src/platform/http/ndjson.ts'

const limits = { rows: 5, lineBytes: 40 }

const columns: CsvColumns = (header) => {
  if (header.includes('bad')) throw new Failure('invalid_request', { detail: 'bad' })
  return (cells) => Object.fromEntries(header.map((name, at) => [name, cells[at]]))
}

async function read(chunks: readonly (string | Buffer)[]): Promise<Row<unknown>[]> {
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  const rows: Row<unknown>[] = []
  for await (const some of await readCsv(body, columns, () => {}, limits)) rows.push(...some)
  return rows
}

const parsed = (rows: readonly Row<unknown>[]) =>
  rows.map((row) => [row.line, 'value' in row ? row.value : row.failure.code])

const refusal = async (chunks: readonly (string | Buffer)[]): Promise<string> => {
  const failure = await read(chunks).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(failure instanceof Failure, 'the whole body is refused')
  return failure.code
}

test('rows arrive complete, however the network splits them', async () => {
  const text = '\ufeffa,b\r\n1,"x, ""y"""\r\n\r\n2,"line\nbreak"\r\n3,é😀\r\n'
  const bytes = Buffer.from(text)
  const whole = [
    [2, { a: '1', b: 'x, "y"' }],
    [5, { a: '2', b: 'line\nbreak' }],
    [6, { a: '3', b: 'é😀' }],
  ]
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
    assert.deepEqual(parsed(await read(chunks)), whole, `in pieces of ${size}`)
  }
})

test('a row with too many cells, too few, or a stray quote fails alone and in its place', async () => {
  assert.deepEqual(parsed(await read(['a,b\n1,2\n3\n4,5,6\nx"y,7\n8,9'])), [
    [2, { a: '1', b: '2' }],
    [3, 'malformed_csv'],
    [4, 'malformed_csv'],
    [5, 'malformed_csv'],
    [6, { a: '8', b: '9' }],
  ])
})

test('a row that is too long, not UTF-8 or holds a NUL fails alone', async () => {
  const long = 'x'.repeat(50)
  const latin = Buffer.from('\xe9,2\n', 'latin1')
  assert.deepEqual(parsed(await read(['a,b\n', `${long},1\n`, latin, 'a\0b,3\n', 'good,4\n'])), [
    [2, 'payload_too_large'],
    [3, 'malformed_csv'],
    [4, 'malformed_csv'],
    [5, { a: 'good', b: '4' }],
  ])
})

test('an unclosed quote ends the reading, after the rows before it', async () => {
  assert.deepEqual(parsed(await read(['a,b\n1,2\n"3,4\n5,6\n'])), [
    [2, { a: '1', b: '2' }],
    [4, 'malformed_csv'],
  ])
  const endless = ['a,b\n1,2\n"3,', ...Array.from({ length: 99 }, () => 'x'.repeat(10))]
  assert.deepEqual(parsed(await read(endless)), [
    [2, { a: '1', b: '2' }],
    [3, 'payload_too_large'],
  ])
})

test('rows that cannot be read are reported while the body arrives, however many they are', async () => {
  let sent = 0
  const body = Readable.from(
    (function* () {
      yield Buffer.from('a,b\n')
      for (; sent < 50; sent += 1) yield Buffer.from('x\n'.repeat(20))
    })(),
    { highWaterMark: 1 },
  )
  const lists = await readCsv(body, columns, () => {}, { ...limits, rows: 10_000 })
  let rows = 0
  for await (const list of lists) {
    if (rows === 0) assert.ok(sent < 10, `${sent} pieces came before the result of the first row`)
    rows += list.length
  }
  assert.equal(rows, 1_000)
})

test('rows beyond the limit are not read', async () => {
  const text = `a,b\n${'1,2\n'.repeat(9)}`
  const rows = await read([text])
  assert.deepEqual(parsed(rows).at(-1), [7, 'payload_too_large'])
  assert.equal(rows.length, limits.rows + 1)
})

test('a body without a header that can be used is refused as a whole', async () => {
  assert.equal(await refusal([]), 'malformed_csv')
  assert.equal(await refusal(['\n\n']), 'malformed_csv')
  assert.equal(await refusal(['a,b"c\n1,2\n']), 'malformed_csv')
  assert.equal(await refusal([Buffer.from('a,b\n1,2\n', 'utf16le')]), 'malformed_csv')
  assert.equal(await refusal(['bad,b\n1,2\n']), 'invalid_request')
  assert.equal(await refusal([`a,${'x'.repeat(50)}\n1,2\n`]), 'payload_too_large')
})
