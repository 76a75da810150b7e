/** Events as they happen: none is missed, however often the connection is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createClient, MooringError } from '../../sdk/client.ts'
import { linesOf } from '../../sdk/lines.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import { useTenants } from '../support/suite-app.ts'
import { publish } from '../support/webhook-receiver.ts'
import { type Fate, startFront } from './front.ts'

const freshTenants = useTenants()

/** Events with these numbers, of a new device. */
const numbered = (...numbers: number[]) => {
  const device = newUuid()
  return numbers.map((n) => ({ device, n }))
}

test('a stream is continued after its last event when the connection is lost', async (t) => {
  const app = await freshTenants(t)
  const fates: Fate[] = ['cut', 'lose', { status: 503 }, 'hang']
  const { url, seen } = await startFront(t, app.origin, fates)
  const client = createClient({ baseUrl: url, apiKey: app.seed.platformKey })
  await publish(app, numbered(1, 2, 3))
  const input = { params: { id: app.seed.id }, query: { types: 'device.*' }, idleMs: 2_000 }
  const got: unknown[] = []
  const ids: string[] = []
  for await (const { id, type, data } of client.events('readEvents', input)) {
    assert.equal(type, data.type)
    got.push(data.data['n'])
    ids.push(id)
    if (got.length === 3) break
  }
  assert.deepEqual(got, [1, 2, 3])
  assert.ok(seen.length >= 5, 'the stream was opened again after each failure')
  const more = { ...input, lastEventId: ids[1] ?? '' }
  for await (const { data } of client.events('readEvents', more)) {
    assert.equal(data.data['n'], 3)
    break
  }
})

test('events arrive as they happen, until the stream is aborted', async (t) => {
  const app = await freshTenants(t)
  const client = createClient({ baseUrl: app.origin, token: app.seed.owner.token })
  const controller = new AbortController()
  const { signal } = controller
  const stream = client.events('readEvents', { params: { id: app.seed.id }, signal })
  const device = newUuid()
  const first = stream.next()
  await publish(app, [{ device, n: 1 }])
  assert.equal((await first).value?.data.data['device'], formatId('dev', device))
  const second = stream.next()
  controller.abort()
  await assert.rejects(second, { name: 'AbortError' })
})

test('a refused stream ends with the refusal', async (t) => {
  const app = await freshTenants(t)
  const client = createClient({ baseUrl: app.origin, apiKey: app.seed.platformKey })
  const params = { id: app.seed.other.id }
  await assert.rejects(
    client.events('readEvents', { params }).next(),
    (error) => error instanceof MooringError && error.code === 'workspace_not_found',
  )
})

test('lines are the same, wherever the network divides them', async () => {
  const parts = fc.constantFrom('a', 'ü', '😀', ' ', '\n', '\r\n', '\n\n')
  const text = fc.array(parts, { maxLength: 20 }).map((found) => found.join(''))
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (all, size) => {
      const bytes = new TextEncoder().encode(all)
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) {
            controller.enqueue(bytes.slice(at, at + size))
          }
          controller.close()
        },
      })
      const lines: string[] = []
      for await (const line of linesOf({ body })) lines.push(line)
      const expected = all.split(/\r?\n/)
      if (expected.at(-1) === '') expected.pop()
      assert.deepEqual(lines, expected)
    }),
  )
})
