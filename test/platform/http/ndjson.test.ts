/** Rows as a stream: limits, and clients that go away or continue. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readRows, type Row } from '../../../src/platform/http/ndjson.ts'
import { startApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'

const limits = { rows: 3, lineBytes: 20 }

async function rowsOf(chunks: readonly string[]): Promise<Row<unknown>[]> {
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  const rows: Row<unknown>[] = []
  for await (const some of readRows(body, () => {}, limits)) rows.push(...some)
  return rows
}

const results = (rows: readonly Row<unknown>[]) =>
  rows.map((row) => [row.line, 'value' in row ? row.value : row.failure.code])

test('rows arrive complete, however the network splits them', async () => {
  const text = '{"a":1}\n\n{"b":"ü"}\r\n{"c":3}'
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const body = Readable.from(
      [bytes.subarray(0, cut), bytes.subarray(cut)].filter((b) => b.length),
    )
    const rows: Row<unknown>[] = []
    for await (const some of readRows(body, () => {}, limits)) rows.push(...some)
    assert.deepEqual(results(rows), [
      [1, { a: 1 }],
      [3, { b: 'ü' }],
      [4, { c: 3 }],
    ])
  }
})

test('an overlong line fails alone, and one row too many ends the reading', async () => {
  const long = `"${'x'.repeat(30)}"`
  assert.deepEqual(results(await rowsOf([`1\n${long}\n2\n`])), [
    [1, 1],
    [2, 'payload_too_large'],
    [3, 2],
  ])
  assert.deepEqual(results(await rowsOf(['1\n', long.slice(0, 25), long.slice(25), '\n2\n'])), [
    [1, 1],
    [2, 'payload_too_large'],
    [3, 2],
  ])
  assert.deepEqual(results(await rowsOf([`1\n2\n3\n4\n5\n${long}${long}`])), [
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 'payload_too_large'],
  ])
})

test('a client that disconnects midway leaves committed rows, and nothing running', async (t) => {
  const { url, seed, database, close } = await startApp(t)
  const sending = request(`${url}/provision/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', 'service-auth-code': seed.provisionKey },
  })
  sending.on('error', () => {})
  const row = JSON.stringify({ template_id: seed.template.id })
  sending.write(`${row}\n${row}\n${row.slice(0, 10)}`)
  const count = async (): Promise<boolean> =>
    (await database.pool.query('SELECT count(*) AS n FROM devices')).rows[0].n === 2
  await until('two rows are committed', count)
  sending.destroy()
  assert.ok(await count())
  await close()
})

test('a client that sends on after the last row that is read gets its response, and is let go', async (t) => {
  const { url, seed, close } = await startApp(t)
  const sending = request(`${url}/provision/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', 'service-auth-code': seed.provisionKey },
  })
  let ended = false
  const received = new Promise<string>((resolve) => {
    sending.on('response', (response) => {
      let text = ''
      response.on('data', (bytes: Buffer) => (text += bytes.toString()))
      response.on('end', () => resolve(text))
    })
  })
  sending.on('error', () => {})
  sending.on('close', () => (ended = true))
  const rows = '1\n'.repeat(100_002)
  sending.write(rows)
  const text = await received
  assert.equal(text.trimEnd().split('\n').length, 100_001)
  assert.match(text.slice(-300), /payload_too_large/)
  await until('the connection is closed', () => ended)
  await close()
})
