/** Receivers that the console shows as code verify what the service sends, and refuse the rest. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { receivers } from '../../../../console/src/pages/webhooks/webhook-code.ts'
import {
  generateWebhookSecret,
  signedHeaders,
} from '../../../../src/adapters/webhook-sender/signature.ts'
import { listens, type Program, startProgram } from '../../../adapters/broker/start-program.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { freePort } from '../../../support/free-port.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants({
  environment: { MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
})

const PYTHON = '/usr/bin/python3'
const noPython = !existsSync(PYTHON) && `there is no ${PYTHON}`
const GO = '/usr/bin/go'
const noGo = !existsSync(GO) && `there is no ${GO}`

type Run = (t: TestContext, text: string, environment: Record<string, string>) => Program

const node: Run = (_, text, environment) =>
  // Its package is that of the repository.
  startProgram(process.execPath, ['--input-type=module', '-e', text], environment)
const python: Run = (_, text, environment) => startProgram(PYTHON, ['-c', text], environment)
const go: Run = (t, text, environment) => {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-receiver-'))
  defer(t, () => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'receiver.go'), text)
  // It needs no module, so none may be fetched.
  const build = { GOCACHE: join(folder, 'cache'), GOPROXY: 'off', GO111MODULE: 'off' }
  const env = { ...process.env, ...build }
  execFileSync(GO, ['build', '-o', 'receiver', 'receiver.go'], { cwd: folder, env })
  return startProgram(join(folder, 'receiver'), [], environment)
}

interface Sent {
  secret: string
  headers: Record<string, string>
  body: string
}

/** A delivery of the service, as its receiver gets it. */
async function deliver(t: TestContext, app: TestApp): Promise<Sent> {
  const got: Pick<Sent, 'headers' | 'body'>[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const headers = Object.entries(request.headers).filter(([name]) =>
        name.startsWith('webhook-'),
      )
      got.push({
        headers: Object.fromEntries(headers) as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      })
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const path = `/workspaces/${app.seed.id}/webhooks`
  const credential = { as: as.platformKey(app.seed.platformKey) }
  const made = await app.call('POST', path, { ...credential, body: { url, types: ['device.*'] } })
  assert.equal(made.status, 201, made.text)
  const tested = await app.call('POST', `${path}/${made.body.id}/test`, credential)
  assert.equal(tested.body.ok, true, tested.text)
  assert.equal(got.length, 1)
  return { secret: made.body.secret, ...(got[0] as Pick<Sent, 'headers' | 'body'>) }
}

async function verifies(t: TestContext, name: string, run: Run): Promise<void> {
  const { secret, headers, body } = await deliver(t, await freshTenants(t))
  const text = receivers.find((each) => each.name === name)?.text ?? ''
  const port = await freePort()
  const program = run(t, text, { MOORING_WEBHOOK_SECRET: secret, PORT: String(port) })
  defer(t, () => program.stop('SIGKILL'))
  await listens(port, program)
  const send = async (sent: string, signed: Record<string, string>): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: signed, body: sent }))
      .status
  assert.equal(await send(body.replace('{', '{ '), headers), 400, 'a changed body is refused')
  assert.equal(await send(body, { ...headers, 'webhook-id': 'evt_of_another' }), 400)
  const { 'webhook-signature': _, ...unsigned } = headers
  assert.equal(await send(body, unsigned), 400)
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const id = headers['webhook-id'] ?? ''
  const minutesAgo = (minutes: number, keys: readonly Buffer[]) =>
    signedHeaders(id, Date.now() - minutes * 60_000, body, keys)
  assert.equal(await send(body, minutesAgo(6, [key])), 400, 'an old request is refused')
  assert.equal(await send(body, minutesAgo(-6, [key])), 400)
  const other = generateWebhookSecret()
  assert.equal(await send(body, minutesAgo(0, [other])), 400)
  const { type } = JSON.parse(body)
  assert.ok(!program.output().includes(type), 'none of these requests is accepted')
  assert.equal(await send(body, headers), 204, program.output())
  assert.equal(
    await send(body, minutesAgo(4, [other, key])),
    204,
    'both secrets are accepted during a rotation',
  )
  await until('it prints the event', () => Promise.resolve(program.output().includes(type)))
}

describe('the code of a receiver takes what the service sent, and nothing else', () => {
  test('in Node', (t) => verifies(t, 'Node', node))
  test('in Python', { skip: noPython }, (t) => verifies(t, 'Python', python))
  test('in Go', { skip: noGo }, (t) => verifies(t, 'Go', go))
})
