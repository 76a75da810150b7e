/** `mooring login` by the browser: the receiver of the session, and refusals. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { shownCode } from '../../cli/browser-login.ts'
import { as, type TestApp } from '../support/app.ts'
import { browser } from '../support/console.ts'
import { person, signIn } from '../support/sign-in.ts'
import { useTenants } from '../support/suite-app.ts'
import { until } from '../support/until.ts'
import { type Cli, useCli } from './run-cli.ts'

const freshTenants = useTenants()

/** Starts the sign-in. @returns what its address asks the page for */
async function begin(t: TestContext, cli: Cli) {
  const login = cli.start(['login', '--browser', '--no-open'])
  const url = await until('the address for the browser', () => {
    assert.equal(login.process.exitCode, null, login.output.stderr)
    return /^http\S+$/m.exec(login.output.stderr)?.[0]
  })
  const query = new URL(url).searchParams
  const asked = (name: string): string => query.get(name) ?? assert.fail(`no ${name} in ${url}`)
  /** The requests that the page makes the browser send. */
  const hand = (members: Record<string, string>): Promise<Response> =>
    fetch(`http://127.0.0.1:${asked('port')}/?${new URLSearchParams(members).toString()}`, {
      redirect: 'manual',
    })
  t.after(() => login.process.kill())
  return { login, url, asked, hand }
}

async function allow(app: TestApp, token: string, code_challenge: string): Promise<string> {
  const { status, body, text } = await browser(app).call('POST', '/authorization-codes', {
    as: as.user(token),
    body: { code_challenge },
  })
  assert.equal(status, 201, text)
  return body.code as string
}

test('the browser gives the command line a session of its own', async (t) => {
  const app = await freshTenants(t)
  const own = await person(app)
  const { access_token: token } = await signIn(app, own)
  const cli = useCli(t, { MOORING_URL: app.origin })
  const { login, url, asked, hand } = await begin(t, cli)
  assert.ok(url.startsWith(`${app.origin}/console/cli?`))
  assert.ok(login.output.stderr.includes(` ${shownCode(asked('challenge'))}:`))
  const code = await allow(app, token, asked('challenge'))

  const foreign = await hand({ code, state: 'another' })
  assert.equal(foreign.status, 404)
  assert.equal(login.process.exitCode, null, 'it waits for its own page')
  const handed = await hand({ code, state: asked('state') })
  assert.equal(handed.status, 303)
  assert.equal(handed.headers.get('location'), `${app.origin}/console/cli?done=allowed`)

  const { code: exitCode, stdout, stderr } = await login.ended
  assert.deepEqual([exitCode, stdout], [0, ''], stderr)
  const shown = await cli.run(['whoami', '-o', 'json'])
  assert.equal(JSON.parse(shown.stdout).email, own.email)
  const { body } = await app.call('GET', '/auth/sessions', { as: as.user(token) })
  assert.match(body.items[0].user_agent, /^mooring-cli on /)
  assert.equal((await cli.run(['logout'])).code, 0)
  assert.equal((await app.call('GET', '/auth/me', { as: as.user(token) })).status, 200)
})

test('a refusal, and a code that is worth nothing, store nothing', async (t) => {
  const app = await freshTenants(t)
  const cli = useCli(t, { MOORING_URL: app.origin })
  const refused = await begin(t, cli)
  const handed = await refused.hand({ state: refused.asked('state') })
  assert.equal(handed.headers.get('location'), `${app.origin}/console/cli?done=refused`)
  const first = await refused.login.ended
  assert.deepEqual([first.code, /refused in the browser/.test(first.stderr)], [1, true])

  // The code of somebody else's sign-in: it needs their secret.
  const { access_token: token } = await signIn(app, await person(app))
  const foreign = await allow(app, token, Buffer.alloc(32, 1).toString('base64url'))
  const tricked = await begin(t, cli)
  await tricked.hand({ state: tricked.asked('state'), code: foreign })
  assert.equal((await tricked.login.ended).code, 3)
  assert.ok(!existsSync(cli.file))
})
