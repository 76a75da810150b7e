/** An OpenTelemetry collector for tests: takes OTLP over HTTP as JSON, and checks its form. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Value = string | number | boolean

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  start: bigint
  end: bigint
  attributes: Record<string, Value>
  isFailed: boolean
}

interface SentValue {
  stringValue?: string
  intValue?: string
  doubleValue?: number
  boolValue?: boolean
}
interface SentAttribute {
  key: string
  value: SentValue
}
interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: SentAttribute[]
  status: { code?: number }
}
interface Sent {
  resourceSpans: {
    resource: { attributes: SentAttribute[] }
    scopeSpans: { scope: { name: string }; spans: SentSpan[] }[]
  }[]
}

function valueOf(value: SentValue): Value {
  assert.equal(Object.keys(value).length, 1, 'one kind of value each')
  if (value.intValue !== undefined) return Number(value.intValue)
  const found = value.stringValue ?? value.doubleValue ?? value.boolValue
  assert.ok(found !== undefined)
  return found
}

const attributesOf = (sent: readonly SentAttribute[]): Record<string, Value> =>
  Object.fromEntries(sent.map(({ key, value }) => [key, valueOf(value)]))

function read(sent: SentSpan): CollectedSpan {
  assert.match(sent.traceId, /^[0-9a-f]{32}$/)
  assert.match(sent.spanId, /^[0-9a-f]{16}$/)
  const [start, end] = [BigInt(sent.startTimeUnixNano), BigInt(sent.endTimeUnixNano)]
  assert.ok(start > 1_700_000_000_000_000_000n && end >= start)
  const { traceId, spanId, parentSpanId, name, kind, status } = sent
  const attributes = attributesOf(sent.attributes)
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    start,
    end,
    attributes,
    isFailed: status.code === 2,
  }
}

/** @param status what it responds with, by the number of the request from 0 on */
export async function startCollector(
  t: Pick<TestContext, 'after'>,
  status: (request: number) => number = () => 200,
) {
  const spans: CollectedSpan[] = []
  const requests: IncomingHttpHeaders[] = []
  let resource: Record<string, Value> = {}
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      assert.equal(request.method, 'POST')
      assert.equal(request.url, '/v1/traces')
      assert.equal(request.headers['content-type'], 'application/json')
      const given = status(requests.length)
      requests.push(request.headers)
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Sent
      for (const { resource: sent, scopeSpans } of given < 300 ? resourceSpans : []) {
        resource = attributesOf(sent.attributes)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(read)))
      }
      response.writeHead(given, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { endpoint, spans, requests, resource: () => resource }
}
