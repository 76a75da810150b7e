/** The requests that are traced, and that callers cannot fill the collector. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeSpan, during, type Span, traced } from '../../../src/platform/trace/span.ts'
import { readTraceparent } from '../../../src/platform/trace/trace-context.ts'
import { Tracer, type TracerOptions } from '../../../src/platform/trace/tracer.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const sampled = `00-${TRACE}-${SPAN}-01`
const start = { name: 'a request', kind: 'server' as const }

function tracerWith(options: Partial<TracerOptions>) {
  const ended: Span[] = []
  const defaults = { ratio: 0, perSecond: 10, trusted: [], now: () => 0 }
  const tracer = new Tracer({ ...defaults, take: (span) => void ended.push(span), ...options })
  const request = (header: string | undefined, address: string): Span | undefined =>
    tracer.request(start, TRACE, { context: readTraceparent(header), address })
  return { tracer, ended, request }
}

test('a caller that is not listed starts no trace by its flag', () => {
  const { request } = tracerWith({ trusted: ['10.1.0.0/16'] })
  assert.equal(request(sampled, '192.0.2.1'), undefined)
  assert.equal(request(sampled, '10.2.0.1'), undefined)
  assert.equal(request(sampled, '10.1.2.3')?.parentSpanId, SPAN)
  assert.equal(request(sampled, '::ffff:10.1.2.3')?.traceId, TRACE)
  assert.equal(request(`00-${TRACE}-${SPAN}-00`, '10.1.2.3'), undefined)
})

test('a sampled trace has the id of the problem, and no unknown parent', () => {
  const { request } = tracerWith({ ratio: 1 })
  const span = request(sampled, '192.0.2.1')
  assert.deepEqual([span?.traceId, span?.parentSpanId], [TRACE, undefined])
})

test('traces of a second are limited, whatever asks for them', () => {
  let now = 0
  const { request, tracer } = tracerWith({
    ratio: 1,
    perSecond: 3,
    trusted: ['::1'],
    now: () => now,
  })
  const count = (): number =>
    Array.from({ length: 20 }, (_none, at) =>
      at % 2 === 0 ? request(sampled, '::1') : tracer.root(start),
    ).filter((span) => span !== undefined).length
  assert.equal(count(), 3)
  now += 1_000
  assert.equal(count(), 3)
  now += 60_000
  assert.equal(count(), 3)
})

test('the ratio does not depend on the trace id, which callers choose', () => {
  let chance = 0.5
  const { request } = tracerWith({ ratio: 0.5, random: () => chance })
  assert.equal(request(sampled, '192.0.2.1'), undefined)
  chance = 0.4
  assert.ok(request(sampled, '192.0.2.1'))
})

test('a request with thousands of statements keeps 256 spans and says how many it dropped', () => {
  const { tracer, ended } = tracerWith({ ratio: 1 })
  during(tracer.root(start), () => {
    for (let at = 0; at < 300; at += 1) traced({ name: 'statement', kind: 'client' }, () => {})
  })
  assert.equal(ended.length, 257)
  assert.equal(ended.at(-1)?.attributes['mooring.spans_dropped'], 44)
})

test('work that outlives its request is not recorded in its trace', async () => {
  const { tracer, ended } = tracerWith({ ratio: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  let late: Promise<void> | undefined
  during(tracer.root(start), () => {
    assert.ok(activeSpan())
    late = promise.then(() => {
      assert.equal(activeSpan(), undefined)
      traced({ name: 'late', kind: 'client' }, () => {})
    })
  })
  resolve()
  await late
  assert.deepEqual(
    ended.map(({ name }) => name),
    ['a request'],
  )
})

test('only a well-formed traceparent is read', () => {
  assert.deepEqual(readTraceparent(sampled), { traceId: TRACE, spanId: SPAN, isSampled: true })
  assert.equal(readTraceparent(`01-${TRACE}-${SPAN}-03-more`)?.isSampled, true)
  for (const header of [
    undefined,
    [sampled, sampled],
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ]) {
    assert.equal(readTraceparent(header), undefined)
  }
})
