/** Sends many rows as one NDJSON stream, and counts the results as they arrive. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { NUMBER_DIGITS } from '../support/requests.ts'
import { respondCalls } from '../support/worker.ts'

const LINES_AT_ONCE = 500

let number = 0

/** Lines that name a hardware id which no line before them named. */
function newLines(templateId: string, count: number): string[] {
  const chunks: string[] = []
  for (let left = count; left > 0; left -= LINES_AT_ONCE) {
    let text = ''
    for (let line = 0; line < Math.min(left, LINES_AT_ONCE); line += 1) {
      number += 1
      const hardware_id = `hw-${String(number).padStart(NUMBER_DIGITS, '0')}`
      text += `${JSON.stringify({ template_id: templateId, hardware_id })}\n`
    }
    chunks.push(text)
  }
  return chunks
}

const REGISTERED = /"status":201\b/g

const methods = {
  /** @returns rows per second, from the first byte sent to the last one read. */
  async run(argument: {
    port: number
    key: string
    templateId: string
    rows: number
  }): Promise<number> {
    const { port, key, templateId, rows } = argument
    const lines = newLines(templateId, rows)
    const started = performance.now()
    const sending = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/v1/provision/devices',
      headers: { 'service-auth-code': key, 'content-type': 'application/x-ndjson' },
    })
    const responded = once(sending, 'response') as Promise<[IncomingMessage]>
    const sent = pipeline(Readable.from(lines, { objectMode: true }), sending)
    const [response] = await responded
    let results = ''
    for await (const text of response.setEncoding('utf8')) results += text as string
    await sent
    const seconds = (performance.now() - started) / 1_000
    const registered = results.match(REGISTERED)?.length ?? 0
    if (registered !== rows) {
      throw new Error(`${registered} of ${rows} rows registered: ${results.slice(0, 1_000)}`)
    }
    return rows / seconds
  },
}
export type RowLoadProgram = typeof methods

respondCalls(methods)
