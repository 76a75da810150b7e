/** No webhook leads inside: not as it is written, and not by what its name stands for later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseId } from '../../../src/platform/lib/ids.ts'
import {
  isPublicAddress,
  resolveTarget,
  TargetRefused,
} from '../../../src/adapters/webhook-sender/target.ts'
import { as, startApp, type TestApp } from '../../support/app.ts'
import { startNameServer, type Zone } from '../../support/name-server.ts'
import { useTenants } from '../../support/suite-app.ts'
import { until } from '../../support/until.ts'
import { subjectsOf, writeEvents } from '../../features/events/webhooks/event-delivery.ts'
import { insideAddresses, insideHosts } from './private-addresses.ts'
import { startReceiver, startSink } from '../../features/events/webhooks/receivers.ts'

const freshTenants = useTenants()

const caller = ({ call, seed }: TestApp) => {
  const path = `/workspaces/${seed.id}/webhooks`
  const credential = { as: as.platformKey(seed.platformKey) }
  return {
    create: (url: string, types: string[] | null = null) =>
      call('POST', path, { ...credential, body: { url, types } }),
    change: (id: string, url: string) =>
      call('PATCH', `${path}/${id}`, { ...credential, body: { url } }),
    send: (id: string) => call('POST', `${path}/${id}/test`, credential),
  }
}

const isUrl = (text: string): boolean => URL.parse(text) !== null

test('no form of an address inside can be saved, or is sent to if it was', async (t) => {
  const app = await freshTenants(t)
  const { create, change, send } = caller(app)
  const sink = await startSink(t)
  const urls = insideHosts.map((host) => `https://${host}:${sink.port}/x`)
  assert.ok(new Set(urls).size >= 400, `${urls.length} forms`)
  const good = await create('https://hooks.example.com/')
  assert.equal(good.status, 201, good.text)
  const { id } = good.body
  for (const [at, url] of urls.entries()) {
    const responses =
      at % 8 === 0 ? [await create(url), await change(id, url)] : [await create(url)]
    for (const response of responses) {
      assert.equal(response.status, 400, url)
      assert.equal(response.body.errors[0].pointer, '/url', url)
    }
  }
  // As if it had been allowed when it was saved.
  for (const [at, url] of urls.filter(isUrl).entries()) {
    await assert.rejects(resolveTarget(new URL(url), app.services.webhookTargets), TargetRefused)
    if (at % 8 > 0) continue
    await app.database.pool.query('UPDATE webhooks SET url = $2 WHERE id = $1', [
      parseId('whk', id),
      url,
    ])
    const { body, status, text } = await send(id)
    assert.equal(status, 200, `${url}: ${text}`)
    assert.deepEqual([body.ok, body.failure], [false, 'refused_target'], url)
  }
  assert.equal(sink.hits, 0)
})

test('a URL that is not plain https cannot be saved', async (t) => {
  const { create } = caller(await freshTenants(t))
  const schemes = [
    'http',
    'ftp',
    'file',
    'gopher',
    'ws',
    'wss',
    'data',
    'javascript',
    'unix',
    'dict',
  ]
  const wrong = [
    ...schemes.map((scheme) => `${scheme}://hooks.example.com/x`),
    ...['user@', 'user:secret@', ':secret@', 'a%40b:c@'].map((who) => `https://${who}example.com/`),
    ...['\r', '\n', '\t', ' ', '\\', '\u00a0', '\u2028'].map(
      (text) => `https://a.example.com/${text}x`,
    ),
    ...['#x', '#'].map((text) => `https://a.example.com/${text}y`),
    'https://a.example.com:0x50/',
    'https://a.example.com:99999/',
    'https://',
    'https:///x',
    '//a.example.com/',
    `https://a.example.com/${'x'.repeat(100_000)}`,
    'https://[::ffff:8.8.8.8]/',
    'https://exa mple.com/',
    'https://example.com\\@127.0.0.1/',
    'https://127.0.0.1\\@example.com/',
  ]
  for (const url of wrong) {
    const { status, body } = await create(url)
    assert.deepEqual(
      [status, body.code],
      [400, 'invalid_request'],
      JSON.stringify(url).slice(0, 99),
    )
  }
})

test('a name that stands for an address inside is refused, alone or alongside others', async (t) => {
  const dns = await startNameServer(t)
  const fresh = await freshTenants(t)
  const app = await fresh.sibling({ MOORING_DNS_SERVERS: dns.address })
  const { webhookTargets: rules } = app.services
  const url = new URL('https://hooks.example.com/')
  for (const address of insideAddresses) {
    const own = address.includes(':') ? { aaaa: [address] } : { a: [address] }
    const open = { a: ['8.8.8.8'], aaaa: ['2606:4700::1111'] }
    const zones: Zone[] = [
      own,
      { ...open, ...own },
      { a: [...open.a, ...(own.a ?? [])], aaaa: [...(own.aaaa ?? []), ...open.aaaa] },
      { cname: 'inside.example.net' },
    ]
    dns.zones.set('inside.example.net', own)
    for (const zone of zones) {
      dns.zones.set(url.hostname, zone)
      await assert.rejects(
        resolveTarget(url, rules),
        TargetRefused,
        `${address}: ${zones.indexOf(zone)}`,
      )
    }
  }
})

test('a name whose address changes each time is resolved once for each of five hundred sends', async (t) => {
  const dns = await startNameServer(t)
  const fresh = await freshTenants(t)
  const app = await fresh.sibling({ MOORING_DNS_SERVERS: dns.address })
  let turn = 0
  const rebound: Zone = {
    // Public first, then inside: anyone who asks again to connect gets there.
    get a() {
      turn += 1
      return turn % 2 === 1 ? ['8.8.8.8'] : ['127.0.0.1']
    },
  }
  dns.zones.set('rebind.example.com', rebound)
  const url = new URL('https://rebind.example.com/')
  const results = { sent: 0, refused: 0 }
  for (let round = 0; round < 500; round += 1) {
    const before = turn
    try {
      const { address } = await resolveTarget(url, app.services.webhookTargets)
      assert.ok(isPublicAddress(address), address)
      results.sent += 1
    } catch (error) {
      assert.ok(error instanceof TargetRefused)
      results.refused += 1
    }
    assert.equal(turn, before + 1)
  }
  assert.deepEqual(results, { sent: 250, refused: 250 })
})

test('an event is not sent to an address that the name got after it was saved', async (t) => {
  const dns = await startNameServer(t)
  // Another process of its database would ask the DNS of this machine.
  const app = await startApp(t, { environment: { MOORING_DNS_SERVERS: dns.address } })
  const sink = await startSink(t)
  const { body } = await caller(app).create(`https://rebind.example.com:${sink.port}/`, [
    'device.updated',
  ])
  dns.zones.set('rebind.example.com', { a: ['127.0.0.1'] })
  await writeEvents(app.database.pool, app.seed.uuid, [0, 0], subjectsOf(2))
  const tried = await until('a try', async () => {
    const { rows } = await app.database.pool.query<{ attempts: { failure: string }[] }>(
      `SELECT attempts FROM webhook_deliveries
       WHERE workspace_id = $1 AND webhook_id = $2 AND tries > 0`,
      [app.seed.uuid, parseId('whk', body.id)],
    )
    return rows[0]?.attempts
  })
  assert.deepEqual([tried[0]?.failure, sink.hits], ['refused_target', 0])
  assert.ok(dns.asked.length > 0)
})

test('a name that was allowed may be inside, and no other one by its redirect', async (t) => {
  const dns = await startNameServer(t)
  const fresh = await freshTenants(t)
  const app = await fresh.sibling({
    MOORING_DNS_SERVERS: dns.address,
    MOORING_WEBHOOK_ALLOWED_HOSTS: 'hooks.internal',
  })
  dns.zones.set('hooks.internal', { a: ['127.0.0.1'] })
  const { create, send } = caller(app)
  const [receiver, sink] = [await startReceiver(t), await startSink(t)]
  const { port } = new URL(receiver.url)
  // Other events of the workspace would be sent as well, and counted.
  const { body } = await create(`http://hooks.internal:${port}/`, ['device.registered'])
  assert.equal((await send(body.id)).body.ok, true)
  receiver.behaviour = 'redirects'
  for (const host of ['127.0.0.1', '[::1]', 'hooks.internal', 'localhost']) {
    receiver.elsewhere = `http://${host}:${sink.port}/`
    const { body: result } = await send(body.id)
    assert.deepEqual([result.ok, result.status], [false, 307], host)
  }
  assert.deepEqual([receiver.requests, sink.hits], [5, 0])
})
