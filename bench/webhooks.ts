/**
 * Delivers events to ten receivers, each with a webhook in its own workspace.
 *
 * The limit is Node signing and sending POSTs of the same size to the same receivers over as many
 * connections, without a database. The difference is what makes deliveries reliable: reading the
 * feed, ordering, and recording the outcome.
 */
import { performance } from 'node:perf_hooks'
import { Client } from 'pg'
import type { BarePostsProgram } from './programs/bare-posts.ts'
import type { WebhookReceiversProgram } from './programs/webhook-receivers.ts'
import type { Bench, Comparison } from './support/comparison.ts'
import type { RunningService, SeededDatabase, Fixture } from './support/environment.ts'

const RECEIVERS = 10
const CONNECTIONS = 16
const DEVICES = 100
const PROMISED = 500
/** Events of the first measurement, for each receiver and second. */
const FIRST_RATE = 60

// Retention reads the time of an event out of its id.
const insert = `INSERT INTO events (workspace_id, id, type, subject_id, data)
  SELECT $1, (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
           || right(replace(gen_random_uuid()::text, '-', ''), 20))::uuid, 'device.updated', ($2::uuid[])[1 + n % cardinality($2::uuid[])],
         json_build_object('device_id', n, 'changed', json_build_array('name', 'tags'))
  FROM generate_series(1, $3::int) AS n`

const body = JSON.stringify({
  id: `evt_${'0'.repeat(26)}`,
  type: 'device.updated',
  workspace_id: `ws_${'0'.repeat(26)}`,
  occurred_at: '2026-11-20T18:00:00.000Z',
  data: { device_id: 1, changed: ['name', 'tags'] },
})

/** A webhook for each receiver. @returns the workspaces. */
async function subscribe(
  { ports }: RunningService,
  { seeder }: SeededDatabase,
  receivers: readonly number[],
): Promise<string[]> {
  const workspaces: string[] = []
  for (const [at, port] of receivers.entries()) {
    const { id, uuid, platformKey } = await seeder.workspace(`receiver-${at}`)
    const url = `http://127.0.0.1:${ports.http}/api/v1/workspaces/${id}/webhooks`
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': platformKey },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/`, types: ['device.*'] }),
    })
    if (response.status !== 201) throw new Error(await response.text())
    workspaces.push(uuid)
  }
  return workspaces
}

async function prepare(fixture: Fixture): Promise<Comparison[]> {
  const database = await fixture.newDatabase()
  const environment = { MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
  const service = await fixture.startService(database, environment)
  const receivers = fixture.start<WebhookReceiversProgram>('bench/programs/webhook-receivers.ts')
  const bare = fixture.start<BarePostsProgram>('bench/programs/bare-posts.ts')
  const ports = await receivers.call('start', { receivers: RECEIVERS })
  const workspaces = await subscribe(service, database, ports)
  const subjects = Array.from({ length: DEVICES }, () => crypto.randomUUID())
  let rate = FIRST_RATE
  const ours = async (seconds: number): Promise<number> => {
    const each = Math.ceil(rate * seconds)
    const before = await receivers.call('count', undefined)
    const client = new Client(database.connection)
    await client.connect()
    const begun = performance.now()
    for (const workspace of workspaces) await client.query(insert, [workspace, subjects, each])
    await receivers.call('reach', { count: before + each * RECEIVERS })
    const perSecond = (each * RECEIVERS) / ((performance.now() - begun) / 1_000)
    await client.end()
    rate = Math.max(FIRST_RATE, perSecond / RECEIVERS)
    return perSecond
  }
  const { settle } = service
  const name = `deliver events to ${RECEIVERS} receivers`
  return [
    {
      name,
      unit: 'deliveries',
      against: 'bare signed POSTs to the same receivers',
      aim: 0.2,
      settle,
      ours,
      limit: (seconds) => bare.call('run', { ports, connections: CONNECTIONS, seconds, body }),
    },
    {
      name,
      unit: 'deliveries',
      against: `${PROMISED} a second`,
      aim: 1,
      isCounted: false,
      settle,
      ours,
      limit: () => Promise.resolve(PROMISED),
    },
  ]
}

export const webhooks: Bench = { name: 'webhooks', topic: 'Webhooks', prepare }
