/** A test of a webhook reaches its receiver, signed by every secret that is good. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants({
  environment: { MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
})

test('a test ends after the configured time, like a delivery', async (t) => {
  const app = await freshTenants(t)
  const slow = await app.sibling({ MOORING_WEBHOOK_TIMEOUT_S: '30' })
  const quick = await app.sibling({ MOORING_WEBHOOK_TIMEOUT_S: '1' })
  const held: (() => void)[] = []
  const receiver = createServer((_request, response) => held.push(() => response.end('at last')))
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const path = `/workspaces/${app.seed.id}/webhooks`
  const credential = { as: as.platformKey(app.seed.platformKey) }
  const { id } = (
    await app.call('POST', path, { ...credential, body: { url, types: ['domain.*'] } })
  ).body
  // The one with the longer time starts first: with equal times it would end first.
  const later = slow.call('POST', `${path}/${id}/test`, credential)
  await until('the receiver has it', () => Promise.resolve(held.length === 1))
  const ended = await quick.call('POST', `${path}/${id}/test`, credential)
  assert.deepEqual([ended.body.ok, ended.body.failure], [false, 'slow'])
  for (const respond of held) respond()
  assert.deepEqual([(await later).body.ok, (await later).body.body], [true, 'at last'])
})

test('both secrets sign during the overlap, and the response contains the result', async (t) => {
  const app = await freshTenants(t)
  const got: { headers: IncomingHttpHeaders; body: string }[] = []
  const receiver = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(418).end('teapot')
    })
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close())
  const send = (path: string, body?: unknown) =>
    app.call('POST', `/workspaces/${app.seed.id}/webhooks${path}`, {
      as: as.platformKey(app.seed.platformKey),
      ...(body !== undefined && { body }),
    })
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const { id, secret: old } = (await send('', { url, types: ['device.*'] })).body
  const { secret: present } = (await send(`/${id}/rotate-secret`, {})).body
  const { status, body: result, text } = await send(`/${id}/test`)
  assert.equal(status, 200, text)
  assert.deepEqual([result.ok, result.status, result.body], [false, 418, 'teapot'])
  const [{ headers, body } = { headers: {}, body: '' }] = got
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const expected = [present, old].map((secret: string) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  assert.equal(headers['webhook-signature'], expected.join(' '))
  assert.deepEqual(JSON.parse(body).data, { webhook_id: id })
  // A target that was allowed once is checked again for each delivery.
  await app.database.pool.query('UPDATE webhooks SET url = $2 WHERE id = $1', [
    parseId('whk', id),
    url.replace('127.0.0.1', '127.0.0.2'),
  ])
  assert.equal((await send(`/${id}/test`)).body.failure, 'refused_target')
  assert.equal(got.length, 1)
})
