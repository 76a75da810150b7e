/** The service as a process: how it starts, what it says, what it refuses, and how it stops. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import {
  newDataDir,
  type Owner,
  preparedDataDir,
  printedOwner,
  runMooring,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'
import { setUpByLink } from '../support/first-setup.ts'
import { until } from '../support/until.ts'

/** Connections to each listener: more than wait by default, and as many as any Linux lets wait. */
const COMING = 1_000

const closers: (() => unknown)[] = []
/** A data folder after its first start, and what that has printed. */
let stopped: string
let owner: Owner
let printed: Owner

const suite = { after: (close: unknown) => void closers.push(close as () => unknown) }

before(async () => {
  stopped = await newDataDir(suite)
  const service = await startService(suite, stopped)
  printed = printedOwner(service)
  owner = { ...printed }
  assert.equal(service.output.stderr, '')
  await signIn(service, owner)
  assert.equal((await service.stop()).code, 0)
})
after(async () => {
  for (const close of closers) await close()
})

test('the first start keeps the owner and the key in files with mode 600', async () => {
  const text = await readFile(join(stopped, 'first-owner.txt'), 'utf8')
  for (const value of Object.values(printed)) assert.ok(text.includes(value), value)
  assert.ok(!text.includes('setup#token'), 'there is no console to open it with')
  for (const name of ['first-owner.txt', 'master.key', 'service.lock']) {
    assert.equal((await stat(join(stopped, name))).mode & 0o777, 0o600, name)
  }
})

test('the first start prints a link to the setup page, which works', async (t) => {
  const dataDir = await preparedDataDir(t)
  // Another process answers than the one that has written the file.
  const environment = { MOORING_CONSOLE: 'on', MOORING_PROCESSES: '2' }
  const service = await startService(t, dataDir, { environment })
  const file = join(dataDir, 'first-owner.txt')
  await stat(file)
  const token = await setUpByLink(service)
  const { stdout } = service.output
  assert.ok(stdout.indexOf(token) < stdout.indexOf('Password'))

  // Nobody signs in with what the file says.
  await until('its file is gone', () => !existsSync(file))
  await service.stop()
  const again = await startService(t, dataDir, { environment })
  assert.ok(!again.output.stdout.includes('first-owner.txt'), again.output.stdout)
})

test('a link to the setup page that is not used yet stays in its file', async (t) => {
  const environment = { MOORING_CONSOLE: 'on' }
  const dataDir = await preparedDataDir(t)
  await (await startService(t, dataDir, { environment })).stop()
  const again = await startService(t, dataDir, { environment })
  assert.ok(again.output.stdout.includes(`password is in ${join(dataDir, 'first-owner.txt')}`))
  assert.match(await readFile(join(dataDir, 'first-owner.txt'), 'utf8'), /setup#token=link_/)
})

test('owner and workspace are made as the variables say, and the password is kept nowhere', async (t) => {
  const dataDir = await preparedDataDir(t)
  const wanted = {
    email: 'ada@example.org',
    password: 'seven seas and a lamp',
    workspace: 'harbour',
  }
  const service = await startService(t, dataDir, {
    environment: {
      MOORING_BOOTSTRAP_EMAIL: wanted.email,
      MOORING_BOOTSTRAP_PASSWORD: wanted.password,
      MOORING_BOOTSTRAP_WORKSPACE: wanted.workspace,
    },
  })
  const headers = await signIn(service, wanted)
  const { body } = await service.call('GET', '/workspaces', { headers })
  assert.equal(body.items[0].slug, 'harbour')
  assert.ok(!service.output.stdout.includes(wanted.password))
  assert.ok(!service.output.stdout.includes('setup#token'))
  await assert.rejects(stat(join(dataDir, 'first-owner.txt')))
})

describe('a start that is refused', () => {
  const refused = async (t: TestContext, environment: Record<string, string>) => {
    const ports = { MOORING_HTTP_PORT: '0', MOORING_OPERATOR_PORT: '0', MOORING_MQTT_PORT: '0' }
    return runMooring(t, ['serve'], {
      environment: { ...ports, MOORING_DATA_DIR: stopped, ...environment },
    })
  }

  test('for another master key says what to do', async (t) => {
    const key = randomBytes(32).toString('base64')
    const { code, stderr } = await refused(t, { MOORING_MASTER_KEY: key })
    assert.equal(code, 1)
    assert.match(stderr, /^mooring: The master key of MOORING_MASTER_KEY .* is not the one/)
    assert.match(stderr, /Restore the first key/)
  })

  test('for a port that is in use names the variable', async (t) => {
    const blocker = createServer().listen(0, '127.0.0.1')
    t.after(() => blocker.close())
    await once(blocker, 'listening')
    const { port } = blocker.address() as { port: number }
    // The operator's listener is the last one: the others are open by then.
    const { code, stderr } = await refused(t, { MOORING_OPERATOR_PORT: String(port) })
    assert.equal(code, 1)
    assert.match(stderr, /^mooring: Port \d+ is in use: [^\n]*MOORING_OPERATOR_PORT[^\n]*\n$/)
  })

  test('for a password of the first owner that is too short names the variable', async (t) => {
    const dataDir = await preparedDataDir(t)
    const short = { MOORING_DATA_DIR: dataDir, MOORING_BOOTSTRAP_PASSWORD: 'ten.chars.' }
    const { code, stderr } = await refused(t, short)
    assert.equal(code, 2, stderr)
    assert.match(stderr, /^mooring: MOORING_BOOTSTRAP_PASSWORD must have at least 15 characters/)
  })

  test('for an address that this machine has not names the variable', async (t) => {
    const { code, stderr } = await refused(t, { MOORING_HTTP_HOST: '192.0.2.1' })
    assert.equal(code, 2)
    assert.match(stderr, /^mooring: MOORING_HTTP_HOST is 192\.0\.2\.1, [^\n]*\n$/)
  })
})

describe('a second start', () => {
  let service: Service
  before(async () => {
    service = await startService(suite, stopped)
  })

  test('makes and prints no owner, says where the first one is, and that one signs in', async () => {
    assert.doesNotMatch(service.output.stdout, /Password/)
    assert.ok(!service.output.stdout.includes(owner.password))
    assert.ok(service.output.stdout.includes(`password is in ${join(stopped, 'first-owner.txt')}`))
    await signIn(service, owner)
  })

  test('delays connections that arrive while its process is stopped, and refuses none', async (t) => {
    const operator = /Operator +http:\/\/127\.0\.0\.1:(\d+)/.exec(service.output.stdout)?.[1]
    const ports = [Number(new URL(service.origin).port), Number(operator), service.mqtt.port]
    service.process.kill('SIGSTOP')
    t.after(() => service.process.kill('SIGCONT'))
    let waiting = 0
    for (const port of ports) {
      for (let opened = 0; opened < COMING; opened += 1) {
        const socket = connect(port, '127.0.0.1', () => (waiting += 1))
        socket.on('error', () => {})
        t.after(() => socket.destroy())
      }
    }
    await until('all to be taken by the system', () => waiting === ports.length * COMING)
  })

  test('keeps another service away from its folder', async (t) => {
    const second = await runMooring(t, ['serve'], { environment: { MOORING_DATA_DIR: stopped } })
    assert.equal(second.code, 1)
    assert.match(second.stderr, /^mooring: The data folder .* is in use by process \d+/)
    assert.match(second.stderr, /MOORING_DATA_DIR/)
    await signIn(service, owner)
  })

  test('stops in time, responds to waiting requests, and does not wait for bodies that never come', async () => {
    const headers = await signIn(service, owner)
    const { body: list } = await service.call('GET', '/workspaces', { headers })
    const session = await service.call('POST', '/moid/session', { body: {} })
    const phone = { authorization: `Bearer ${session.body.access_token}` }
    const body = { workspace_id: list.items[0].id }
    const claim = await service.call('POST', '/moid/claims', { headers: phone, body })
    const path = `/moid/claims/${claim.body.claim_id}?wait=30`
    const waiting = service.call('GET', path, { headers: phone })
    const stuck = connect(Number(new URL(service.origin).port), '127.0.0.1')
    stuck.on('error', () => {})
    stuck.write(
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
        'Content-Length: 100\r\n\r\n{',
    )
    const logins = Promise.allSettled(Array.from({ length: 20 }, () => signIn(service, owner)))
    // This one is answered after the others were begun.
    await service.call('GET', '/moid/me', { headers: phone })
    const startedAt = Date.now()
    const { code, stderr } = await service.stop()
    assert.equal(code, 0, stderr)
    // Far below the thirty seconds that a body may take.
    assert.ok(Date.now() - startedAt < 25_000)
    assert.equal((await waiting).status, 200)
    assert.ok((await logins).some(({ status }) => status === 'fulfilled'))
    // After a pause, it may have logged that its database did not respond in time.
    const ofQueue = /"message":"(?:queue: |message of a library|the queue restarts)/
    assert.deepEqual(
      stderr.split('\n').filter((line) => line !== '' && !ofQueue.test(line)),
      [],
    )
  })
})

test('a database that was killed under the service comes back', async (t) => {
  const service = await startService(t, stopped)
  const pidFile = join(stopped, 'postgres', 'postmaster.pid')
  process.kill(Number.parseInt(await readFile(pidFile, 'utf8'), 10), 'SIGKILL')
  const isBack = () => /runs again/.test(service.output.stderr)
  await until('the service says so', isBack).catch((error: Error) => {
    throw new Error(`${error.message}; it said:\n${service.output.stderr}`)
  })
  const { email, password } = owner
  await until('the owner can sign in', async () => {
    const response = await service.call('POST', '/auth/login', { body: { email, password } })
    return response.status === 200
  })
  const operator = /Operator +(http:\/\/[\d.:]+)/.exec(service.output.stdout)?.[1]
  const metrics = await (await fetch(`${operator}/metrics`)).text()
  assert.match(metrics, /^mooring_embedded_postgres_restarts_total 1$/m)
  assert.match(metrics, /^mooring_data_free_bytes [1-9]/m)
  assert.equal((await service.stop()).code, 0)
})

test('SIGHUP, of a terminal that is closed, lets requests end as SIGTERM does', async (t) => {
  const service = await startService(t, stopped)
  const session = await service.call('POST', '/moid/session', { body: {} })
  const phone = { authorization: `Bearer ${session.body.access_token}` }
  const headers = await signIn(service, owner)
  const { body: list } = await service.call('GET', '/workspaces', { headers })
  const body = { workspace_id: list.items[0].id }
  const claim = await service.call('POST', '/moid/claims', { headers: phone, body })
  const path = `/moid/claims/${claim.body.claim_id}?wait=30`
  const waiting = service.call('GET', path, { headers: phone })
  // This one is answered after the other was begun.
  await service.call('GET', '/moid/me', { headers: phone })
  const { code, stdout } = await service.stop('SIGHUP')
  assert.equal(code, 0)
  assert.match(stdout, /Stopped\.\n$/)
  assert.equal((await waiting).status, 200)
})
