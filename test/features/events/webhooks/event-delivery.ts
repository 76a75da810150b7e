/** Events on their way to receivers: writing many, and what has to be true of what arrived. */
import assert from 'node:assert/strict'
import type { Pool } from 'pg'
import { Webhook } from 'standardwebhooks'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import type { Got } from './receivers.ts'

// Retention reads the time of an event out of its id.
const insert = `INSERT INTO events (workspace_id, id, type, subject_id, data)
  SELECT $1, (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
           || right(replace(gen_random_uuid()::text, '-', ''), 20))::uuid, $5, subject,
         json_build_object('n', n, 'subject', subject)
  FROM generate_series($2::int, $3::int) AS n,
       LATERAL (SELECT ($4::uuid[])[1 + n % cardinality($4::uuid[])] AS subject) AS s
  ORDER BY n`

/** Makes up devices; one of them is none, as of what happens to a workspace. */
export const subjectsOf = (count: number): (string | null)[] => [
  null,
  ...Array.from({ length: count - 1 }, () => newUuid()),
]

/** Writes events with the numbers from … to, in turns of the devices. */
export const writeEvents = (
  pool: Pick<Pool, 'query'>,
  workspaceId: string,
  [from, to]: readonly [number, number],
  subjects: readonly (string | null)[],
  type = 'device.updated',
) => pool.query(insert, [workspaceId, from, to, subjects, type])

interface Sent {
  n: number
  subject: string | null
}

const sentOf = ({ body }: Pick<Got, 'body'>): Sent => (JSON.parse(body) as { data: Sent }).data

/** The messages that came for the first time, in their order. */
export function firsts(got: readonly Got[]): Got[] {
  const known = new Set<string>()
  return got.filter(({ id }) => !known.has(id) && known.add(id))
}

/** All numbers below `count` have come, those of one device in their order. */
export function assertWhole(got: readonly Got[], count: number): void {
  const came = firsts(got).map(sentOf)
  const numbers = new Set(came.map(({ n }) => n))
  const lost = Array.from({ length: count }, (_none, n) => n).filter((n) => !numbers.has(n))
  assert.deepEqual(lost.slice(0, 10), [], `${lost.length} events were lost`)
  assert.equal(numbers.size, count)
  const last = new Map<string, number>()
  for (const { n, subject } of came) {
    if (subject === null) continue
    const before = last.get(subject) ?? -1
    assert.ok(before < n, `${n} of ${subject} came after ${before}`)
    last.set(subject, n)
  }
}

/** The tokens that a verifier accepts: it looks at its clock, and has none to set. */
const FRESH_MS = 240_000

function verify(verifier: Webhook, { id, timestamp, signature, body }: Got): unknown {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  }
  return verifier.verify(body, headers)
}

/** Everything is signed as the library of the specification says, and shortly before it came. */
export function assertSigned(got: readonly Got[], secret: string): void {
  const verifier = new Webhook(secret)
  for (const each of got) {
    const { id, timestamp, signature, body, at } = each
    const sentAt = Number(timestamp) * 1_000
    const wanted = verifier.sign(id, new Date(sentAt), body)
    assert.ok(signature.split(' ').includes(wanted), id)
    assert.ok(Math.abs(at - sentAt) < FRESH_MS, `${id} came ${at - sentAt} ms later`)
    if (Date.now() - sentAt < FRESH_MS) {
      assert.deepEqual(verify(verifier, each), JSON.parse(body))
    }
  }
}

/** A recorded response is worth nothing an hour later, and can't be made younger. */
export function assertNoReplay(got: Got, secret: string): void {
  const verifier = new Webhook(secret)
  const dated = (seconds: number): Got => ({ ...got, timestamp: String(seconds) })
  const now = Math.floor(Date.now() / 1_000)
  assert.throws(() => verify(verifier, dated(now - 3_600)), /timestamp/i)
  assert.throws(() => verify(verifier, dated(now + 1)), /signature/i)
}

export interface MadeWebhook {
  id: string
  secret: string
}

export async function makeWebhook(
  { call, seed }: Pick<TestApp, 'call' | 'seed'>,
  url: string,
  types: string[] | null = ['device.*'],
): Promise<MadeWebhook> {
  const { status, body, text } = await call('POST', `/workspaces/${seed.id}/webhooks`, {
    as: as.platformKey(seed.platformKey),
    body: { url, types },
  })
  assert.equal(status, 201, text)
  return { id: body.id, secret: body.secret }
}
