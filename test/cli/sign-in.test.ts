/** Signing in on the command line: the stored session, its end, and the exit codes. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { enrolled, me, movingClock, PASSWORD, person } from '../support/sign-in.ts'
import { useTenants } from '../support/suite-app.ts'
import { useCli } from './run-cli.ts'

const clock = movingClock()
const freshTenants = useTenants({ clock })

interface Profiles {
  current: string
  profiles: Record<string, { session?: { accessToken: string; expiresAt: number } }>
}

const read = (file: string): Profiles => JSON.parse(readFileSync(file, 'utf8')) as Profiles

test('a sign-in with a password is stored for its owner only, and logout ends the session', async (t) => {
  const app = await freshTenants(t)
  const { email } = await person(app)
  const cli = useCli(t, { MOORING_URL: app.origin })
  const login = await cli.run(['login', '--email', email, '--password-stdin'], { input: PASSWORD })
  assert.equal(login.code, 0, login.stderr)
  assert.equal(login.stdout, '')
  assert.equal(statSync(cli.file).mode & 0o777, 0o600)
  assert.equal(statSync(dirname(cli.file)).mode & 0o777, 0o700)
  assert.ok(!readFileSync(cli.file, 'utf8').includes(PASSWORD))

  const shown = await cli.run(['whoami', '-o', 'json'])
  assert.equal(JSON.parse(shown.stdout).email, email)
  const token = read(cli.file).profiles['default']?.session?.accessToken ?? ''
  assert.equal((await me(app, token)).status, 200)

  assert.equal((await cli.run(['logout'])).code, 0)
  assert.equal((await me(app, token)).status, 401)
  assert.ok(!readFileSync(cli.file, 'utf8').includes(token))
  const after = await cli.run(['whoami'])
  assert.equal(after.code, 3)
  assert.match(after.stderr, /^mooring: No sign-in for .*\. Sign in with: mooring login\n$/)
})

test('a second factor is proved with a code, and a wrong password is one sentence', async (t) => {
  const app = await freshTenants(t)
  const { email, recoveryCodes } = await enrolled(app, clock)
  const cli = useCli(t, { MOORING_URL: app.origin })
  const args = ['login', '--email', email, '--password-stdin']
  const wrong = await cli.run(args, { input: 'not this one' })
  assert.equal(wrong.code, 3)
  assert.match(wrong.stderr, /^mooring: [^\n]+\nSign in with: mooring login\n$/)
  const without = await cli.run(args, { input: PASSWORD })
  assert.equal(without.code, 2, 'there is no terminal to ask for the code on')
  const code = recoveryCodes[0] ?? ''
  const login = await cli.run([...args, '--code', code], { input: PASSWORD })
  assert.equal(login.code, 0, login.stderr)
  assert.equal((await cli.run(['whoami'])).code, 0)
})

test('commands that run at once renew an expired session together', async (t) => {
  const app = await freshTenants(t)
  const { email } = await person(app)
  const cli = useCli(t, { MOORING_URL: app.origin })
  await cli.run(['login', '--email', email, '--password-stdin'], { input: PASSWORD })
  const stored = read(cli.file)
  const session = stored.profiles['default']?.session ?? assert.fail()
  const before = session.accessToken
  session.expiresAt = 0
  writeFileSync(cli.file, JSON.stringify(stored))
  const results = await Promise.all([1, 2, 3, 4].map(() => cli.run(['whoami'])))
  for (const { code, stderr } of results) assert.equal(code, 0, stderr)
  assert.notEqual(read(cli.file).profiles['default']?.session?.accessToken, before)
  assert.ok(!existsSync(`${cli.file}.lock`))
  // The session of a refresh token that was used twice would have ended.
  assert.equal((await cli.run(['whoami'])).code, 0)
})

test('a session is not sent to another service', async (t) => {
  const app = await freshTenants(t)
  const { email } = await person(app)
  const cli = useCli(t)
  const login = ['login', '--url', app.origin, '--email', email, '--password-stdin']
  await cli.run(login, { input: PASSWORD })
  assert.equal((await cli.run(['whoami'])).code, 0, 'the profile names the service')
  const elsewhere = await cli.run(['whoami', '--url', app.origin.replace('127.0.0.1', 'localhost')])
  assert.equal(elsewhere.code, 3)
})

test('a platform key is checked before it is stored', async (t) => {
  const app = await freshTenants(t)
  const cli = useCli(t, { MOORING_URL: app.origin })
  const args = ['login', '--profile', 'backend', '--api-key-stdin']
  const input = app.seed.platformKey.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'))
  const wrong = await cli.run(args, { input })
  assert.equal(wrong.code, 3)
  assert.ok(!existsSync(cli.file))
  assert.equal((await cli.run(args, { input: `${app.seed.platformKey}\n` })).code, 0)
  const { stdout } = await cli.run(['profiles', 'list', '-o', 'ndjson'])
  assert.deepEqual(JSON.parse(stdout), {
    name: 'backend',
    current: true,
    url: app.origin,
    workspace: app.seed.slug,
    credential: 'platform key',
  })
  assert.equal((await cli.run(['devices', 'list'])).code, 0)
  assert.equal((await cli.run(['profiles', 'delete', 'backend'])).code, 0)
  assert.ok(!readFileSync(cli.file, 'utf8').includes(app.seed.platformKey))
})

test('commands use the profile that was chosen last, or the one that they name', async (t) => {
  const app = await freshTenants(t)
  const { email } = await person(app)
  const cli = useCli(t, { MOORING_URL: app.origin })
  await cli.run(['login', '--email', email, '--password-stdin'], { input: PASSWORD })
  const key = { input: app.seed.platformKey }
  await cli.run(['login', '--profile', 'backend', '--api-key-stdin'], key)
  const whoami = async (...args: string[]): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await cli.run([...args, 'whoami', '-o', 'json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  assert.equal((await whoami()).key, `…${app.seed.platformKey.slice(-4)}`)
  assert.equal((await whoami('--profile', 'default')).email, email)
  assert.equal((await cli.run(['profiles', 'use', 'default'])).code, 0)
  assert.equal((await whoami()).email, email)
  assert.equal((await cli.run(['profiles', 'use', 'nobody'])).code, 5)
  assert.equal(read(cli.file).current, 'default', 'a refused choice changes nothing')
})

test('exit codes name the kind of failure', async (t) => {
  const app = await freshTenants(t)
  const cli = useCli(t, { MOORING_URL: app.origin, MOORING_API_KEY: app.seed.platformKey })
  const codeOf = async (args: string[], environment: object = {}) => {
    const { code, stderr } = await cli.run(args, { environment })
    assert.match(stderr, /^(?:mooring|error): \S/)
    return code
  }
  assert.equal(await codeOf(['devices', 'list', '--filter', 'nonsense =']), 1)
  assert.equal(await codeOf(['devices', 'lost']), 2)
  assert.equal(await codeOf(['devices', 'list', '--limit', 'many']), 2)
  assert.equal(await codeOf(['devices', 'list', '-o', 'xml']), 2)
  assert.equal(await codeOf(['devices', 'list'], { MOORING_API_KEY: 'service_ak_x' }), 3)
  assert.equal(await codeOf(['workspaces', 'use', app.seed.other.id]), 5)
  assert.equal(await codeOf(['devices', 'get', 'no-such-key']), 5)
  assert.equal(await codeOf(['devices', 'list'], { MOORING_URL: 'http://127.0.0.1:9' }), 6)
  assert.equal(await codeOf(['webhooks', 'get', 'whk_01h455vb4pex5vsknk084sn02q']), 5)
  const { provisionKey } = app.seed
  assert.equal(await codeOf(['devices', 'list'], { MOORING_API_KEY: provisionKey }), 4)
})
