/** The demo and the examples, against a service as people start it. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import {
  ownDatabase,
  printedOwner,
  runMooring,
  type Service,
  signIn,
  start,
  startService,
} from '../support/service.ts'
import type { Headers } from '../support/app.ts'
import { until } from '../support/until.ts'

const closers: (() => unknown)[] = []
const suite = { after: (close: unknown) => void closers.push(close as () => unknown) }
let environment: Awaited<ReturnType<typeof ownDatabase>>
let service: Service

before(async () => {
  environment = await ownDatabase(suite)
  // As on a machine with several cores: a request may reach another process than the one before.
  const several = { ...environment, MOORING_PROCESSES: '3' }
  service = await startService(suite, environment.MOORING_DATA_DIR, { environment: several })
})
after(async () => {
  for (const close of closers) await close()
})

/** Runs a program of examples/ to its end. */
const example = (t: TestContext, name: string, args: string[] = []) =>
  start(t, [`examples/${name}.ts`, ...args], {
    environment: { ...environment, API_URL: service.origin },
  })

/** Runs the program of the README, again and again. */
async function runsFirst(t: TestContext, headers: Headers, workspace: string): Promise<void> {
  const environment = {
    API_URL: service.origin,
    TOKEN: headers['authorization']?.replace('Bearer ', '') ?? '',
    WORKSPACE: workspace,
  }
  const made = new Set<string>()
  for (const round of [1, 2]) {
    const { code, stdout, stderr } = await start(t, ['examples/first.ts'], { environment }).ended
    assert.equal(code, 0, stderr)
    made.add(/^provisioned (L-\d+-\d+)\n/.exec(stdout)?.[1] ?? stdout)
    assert.equal(made.size, round)
    assert.match(
      stdout,
      /^provisioned (L-\d+-\d+)\nits state is {"on":true,"brightness":40}\nthe phone has Kitchen: \1\nthe factory: .* revoked.*\n$/,
    )
  }
}

describe('the demo', () => {
  test('goes to its end, again and again', async (t) => {
    const made = new Set<string>()
    for (const round of [1, 2]) {
      const { code, stdout, stderr } = await example(t, 'demo', ['--url', service.origin]).ended
      assert.equal(code, 0, stderr)
      assert.equal(stderr, '')
      assert.match(stdout, /factory +provisions LAMP-\d+-\d+\n/)
      made.add(/factory +provisions (LAMP-\d+-\d+)\n/.exec(stdout)?.[1] ?? stdout)
      assert.equal(made.size, round)
      assert.match(stdout, /phone +learns that the claim is bound\n/)
      assert.match(stdout, /factory +is refused: 401 credential_rejected\n\nDone\./)
    }
  })

  test('says in one line what is wrong', async (t) => {
    const wrong = ['--url', service.origin, '--email', 'a@b.io', '--password', 'x']
    const refused = await example(t, 'demo', wrong).ended
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /^The email address or the password is wrong[^\n]+--password\.\n$/)
    const away = await example(t, 'demo', ['--url', 'http://127.0.0.1:65533']).ended
    assert.match(away.stderr, /^no service at [^\n]+ECONNREFUSED[^\n]+npm start[^\n]+\n$/)
  })
})

describe('the examples', () => {
  test('include the program that the README shows', async () => {
    const [readme, program] = await Promise.all(
      ['README.md', 'examples/first.ts'].map((path) => readFile(path, 'utf8')),
    )
    const [, shown] =
      /^## A first example\n[\s\S]*?^```ts\n([\s\S]*?)^```/m.exec(readme ?? '') ?? []
    assert.equal(shown?.replace("'@mooring/sdk'", "'../sdk/client.ts'"), program)
  })

  test('explain themselves', async (t) => {
    for (const name of ['factory', 'device', 'phone', 'backend', 'demo']) {
      const { code, stdout } = await example(t, name, ['--help']).ended
      assert.equal(code, 0)
      assert.match(stdout, /^Usage: /)
    }
  })

  test('play together: a backend, a factory, a device and a phone', async (t) => {
    const file = await readFile(join(environment.MOORING_DATA_DIR, 'first-owner.txt'), 'utf8')
    const password = /^email: owner@example\.com\npassword: (.*)\n$/.exec(file)?.[1] ?? ''
    const headers = await signIn(service, { ...printedOwner(service), password })
    const { body } = await service.call('GET', '/workspaces', { headers })
    await runsFirst(t, headers, body.items[0].id)
    const makeKey = async (kind: string): Promise<string> => {
      const args = ['keys', 'create', '--workspace', 'main', '--kind', kind]
      const made = await runMooring(t, args, { environment })
      return made.stdout.trim()
    }
    const platform = ['--key', await makeKey('platform')]
    assert.match(
      (await example(t, 'backend', platform).ended).stdout,
      /created the device template/,
    )

    const key = await makeKey('provision')
    const args = ['--key', key, '--template', 'example-sensor', '--hardware-id', 'board-1']
    const made = await example(t, 'factory', args).ended
    assert.equal(made.code, 0, made.stderr)
    assert.equal(
      (await example(t, 'factory', args).ended).stdout,
      made.stdout,
      'the second call returns the first response',
    )
    const credentials = join(dirname(environment.MOORING_DATA_DIR), 'device.json')
    await writeFile(credentials, made.stdout)

    const session = join(dirname(environment.MOORING_DATA_DIR), 'phone.json')
    const phone = example(t, 'phone', ['--workspace', body.items[0].id, '--session', session])
    const code = await until(
      'the phone shows its code',
      () => /claim code: (\S+)/.exec(phone.output.stdout)?.[1],
    )
    const asked = ['--credentials', credentials, '--claim', code, '--rotate']
    const device = example(t, 'device', asked)
    await until('it keeps what it rotated', async () => {
      assert.equal(device.process.exitCode, null, device.output.stderr)
      return (await readFile(credentials, 'utf8')) !== made.stdout
    })
    const { code: phoneCode, stdout } = await phone.ended
    assert.equal(phoneCode, 0)
    assert.match(stdout, /the claim is bound\nKitchen: EX-/)
    const again = await example(t, 'phone', ['--list', '--session', session]).ended
    assert.match(again.stdout, /^Kitchen: EX-/)
    // A report of a device is stored a moment later.
    await until('the backend sees what the device reported', async () => {
      const { stdout } = await example(t, 'backend', platform).ended
      return /^EX-\S+: active, (?:on|off)line, \{"on":false,"count":\d+\}$/m.test(stdout)
    })
    const short = ['--credentials', credentials, '--for', '1']
    device.process.kill()
    assert.equal(
      (await example(t, 'device', short).ended).code,
      0,
      'the program ends when its time is over',
    )
  })
})
