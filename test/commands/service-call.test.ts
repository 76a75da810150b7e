/** Commands find the service by its certificate, whatever name and authority that is of. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { text } from 'node:stream/consumers'
import { callService, serviceAddressOf } from '../../src/commands/doctor/service-call.ts'
import { describeSystemError } from '../../src/platform/lib/system-errors.ts'
import { type Certificate, makeAuthority } from '../support/certificates.ts'
import { defer } from '../support/cleanup.ts'

async function serve(t: TestContext, certificate: Certificate): Promise<number> {
  const server = createServer(certificate, (request, response) => {
    void text(request).then((body) => response.writeHead(201).end(`${request.url} ${body}`))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  defer(t, () => server.close())
  return (server.address() as AddressInfo).port
}

test('the service of this machine is known by its own certificate, and by no other', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-call-'))
  defer(t, () => rm(folder, { recursive: true }))
  const authority = makeAuthority()
  const own = authority.issue('api.example.com')
  const tlsCertFile = join(folder, 'cert.pem')
  await writeFile(tlsCertFile, own.cert + authority.cert)
  const post = (httpPort: number, api?: string, trusted?: string) => {
    const config = { origin: undefined, tlsCertFile, httpPort }
    return callService(serviceAddressOf(config, api, trusted), '/x', {}, { a: 1 })
  }
  const port = await serve(t, own)
  assert.deepEqual(await post(port), { status: 201, text: '/x {"a":1}' })
  await assert.rejects(post(await serve(t, authority.issue('api.example.com'))))
  const named = await serve(t, authority.issue('127.0.0.1'))
  const origin = `https://127.0.0.1:${named}/`
  await assert.rejects(post(named, origin))
  assert.equal((await post(named, origin, authority.cert)).status, 201)
  await assert.rejects(post(port, `https://127.0.0.1:${port}`, authority.cert), /altnames/)
})

test('a service that takes the question and gives no response is not waited for for ever', async (t) => {
  const sockets = new Set<Socket>()
  const mute = createListener((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  defer(t, () => {
    for (const socket of sockets) socket.destroy()
    mute.close()
  })
  const { port: httpPort } = mute.address() as AddressInfo
  const config = { origin: undefined, tlsCertFile: undefined, httpPort }
  const address = serviceAddressOf(config, undefined, undefined)
  const asking = callService(address, '/x', {}, {}, 100)
  await assert.rejects(asking, (error) => describeSystemError(error) === 'there was no response')
})
