/** Sends a generated file of devices as one stream, and counts the results. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { respondCalls } from '../support/worker.ts'

const LINES_AT_ONCE = 500
const NEWLINE = 0x0a

const lineOf = (number: number): string =>
  JSON.stringify({
    device_key: `I-${number}`,
    hardware_id: `hw-${number}`,
    tags: { site: `s${number % 10}`, floor: String(number % 3) },
  })

function* linesOf(rows: number): Generator<string> {
  for (let from = 0; from < rows; from += LINES_AT_ONCE) {
    const count = Math.min(LINES_AT_ONCE, rows - from)
    yield Array.from({ length: count }, (_, index) => `${lineOf(from + index)}\n`).join('')
  }
}

const methods = {
  /** @returns seconds from the first byte sent to the last result read. */
  async run(argument: {
    port: number
    workspaceId: string
    key: string
    rows: number
  }): Promise<number> {
    const { port, workspaceId, key, rows } = argument
    const started = performance.now()
    const sending = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `/api/v1/workspaces/${workspaceId}/devices/import`,
      headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
    })
    const responded = once(sending, 'response') as Promise<[IncomingMessage]>
    const sent = pipeline(Readable.from(linesOf(rows), { objectMode: true }), sending)
    const [response] = await responded
    let results = 0
    let start = ''
    for await (const bytes of response as AsyncIterable<Buffer>) {
      if (start === '') start = bytes.toString('utf8', 0, 1_000)
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1))
        results += 1
    }
    await sent
    const seconds = (performance.now() - started) / 1_000
    if (response.statusCode === 200 && results === rows) return seconds
    throw new Error(`${results} results of ${rows} rows: ${start}`)
  },
}
export type ImportLoadProgram = typeof methods

respondCalls(methods)
