/** How spans get to the collector, and what happens if it does not take them. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { OtlpExporter } from '../../../src/platform/trace/otlp.ts'
import { Tracer } from '../../../src/platform/trace/tracer.ts'
import { startCollector } from '../../support/collector.ts'

function exporterTo(endpoint: string) {
  const warnings: unknown[] = []
  const exporter = new OtlpExporter({
    endpoint,
    headers: { authorization: 'Bearer abc' },
    resource: { 'service.name': 'mooring' },
    warn: (_message, error) => void warnings.push(error),
  })
  const tracer = new Tracer({ ratio: 1, perSecond: 10_000, trusted: [], take: exporter.take })
  const record = (count: number): void => {
    for (let at = 0; at < count; at += 1) {
      tracer.root({ name: 'n', kind: 'internal', attributes: { at, ratio: 0.5, on: true } })?.end()
    }
  }
  return { exporter, record, warnings }
}

test('spans arrive with their attributes and the headers that are configured', async (t) => {
  const { endpoint, spans, requests, resource } = await startCollector(t)
  const { exporter, record } = exporterTo(`${endpoint}/`)
  record(2)
  await exporter.stop()
  assert.deepEqual(
    spans.map(({ name, attributes }) => ({ name, attributes })),
    [0, 1].map((at) => ({ name: 'n', attributes: { at, ratio: 0.5, on: true } })),
  )
  assert.deepEqual(resource(), { 'service.name': 'mooring' })
  assert.equal(requests[0]?.authorization, 'Bearer abc')
  assert.deepEqual(exporter.counts, { sent: 2, dropped: 0 })
})

test('a busy collector gets the same spans again; refused spans are dropped', async (t) => {
  const statuses = [503, 200, 400]
  const { endpoint, spans, requests } = await startCollector(t, (at) => statuses[at] ?? 200)
  const { exporter, record, warnings } = exporterTo(endpoint)
  record(512)
  while (warnings.length === 0) await new Promise(setImmediate)
  record(1)
  await exporter.stop()
  assert.deepEqual([requests.length, spans.length, warnings.length], [3, 512, 2])
  assert.deepEqual(exporter.counts, { sent: 512, dropped: 1 })
})

test('without a collector the queue is bounded, and stopping does not fail', async (t) => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  t.after(() => closed.close())
  const { exporter, record, warnings } = exporterTo(`http://127.0.0.1:${port}`)
  record(6_000)
  await exporter.stop()
  assert.ok(warnings.length > 0)
  assert.deepEqual(exporter.counts, { sent: 0, dropped: 6_000 })
})
