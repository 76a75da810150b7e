/** Changes of existing accounts and workspaces by the operator, alongside a running service. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CallResult, callUrl, type Headers } from '../support/app.ts'
import { authenticator } from '../support/authenticator.ts'
import { originOf } from '../support/passkeys.ts'
import {
  ownDatabase,
  printedOwner,
  runMooring,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'
import { codeOf } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const logIn = (service: Service, email: string, password: string): Promise<CallResult> =>
  service.call('POST', '/auth/login', { body: { email, password } })

async function makeKey(service: Service, id: string, headers: Headers): Promise<void> {
  const made = await service.call('POST', `/workspaces/${id}/api-keys`, {
    headers,
    body: { key_kind: 'platform' },
  })
  assert.equal(made.status, 201, made.text)
}

async function enrol(service: Service, headers: Headers): Promise<void> {
  const begun = await service.call('POST', '/auth/mfa/totp', { headers })
  const body = { code: codeOf(begun.body.secret, { now: () => Date.now() }) }
  const confirmed = await service.call('POST', '/auth/mfa/totp/confirm', { headers, body })
  assert.equal(confirmed.status, 200, confirmed.text)
}

async function addPasskey(service: Service, headers: Headers): Promise<void> {
  const url = `${service.origin}/console/api/auth/passkeys`
  const { body } = await callUrl(`${url}/options`, 'POST', { headers, body: {} })
  const made = authenticator(originOf(service)).create(body).body
  const added = await callUrl(url, 'POST', { headers, body: { name: 'Key', ...made } })
  assert.equal(added.status, 201, added.text)
}

async function assertNoFactor(service: Service, { body }: CallResult): Promise<void> {
  const headers = { authorization: `Bearer ${body.access_token}` }
  const me = await service.call('GET', '/auth/me', { headers })
  assert.deepEqual([me.body.mfa_enabled, me.body.passkeys], [false, 0])
}

type Mooring = (args: string) => Promise<{ code: number | null; said: string; stdout: string }>

/** Deletes an account, but not the only owner. */
async function deletes(mooring: Mooring, email: string, slug: string): Promise<void> {
  const alone = await mooring(`accounts delete --email ${email} --yes`)
  assert.match(alone.said, new RegExp(`^1 mooring: The account is the only owner of ${slug} `))
  const other = 'grace@example.com'
  const created = await mooring(`accounts create --email ${other} --workspace ${slug}`)
  assert.equal(created.code, 0, created.said)
  const unasked = await mooring(`accounts delete --email ${other}`)
  assert.match(unasked.said, /^2 mooring: A deleted account cannot be restored.* --yes\.$/m)
  const gone = await mooring(`accounts delete --email ${other.toUpperCase()} --yes`)
  assert.equal(gone.code, 0, gone.said)
  const listed = await mooring('accounts list --json')
  assert.ok(listed.stdout.includes(email) && !listed.stdout.includes(other), listed.stdout)
  const twice = await mooring(`accounts delete --email ${other} --yes`)
  assert.match(twice.said, /^1 mooring: There is no account with this address/)
}

describe('the operator', () => {
  test('disables, enables and resets accounts, and brings a workspace back', async (t) => {
    const environment = await ownDatabase(t)
    const mooring = async (args: string, input?: string) => {
      const ended = await runMooring(t, args.split(' '), { environment, ...(input && { input }) })
      return { ...ended, said: `${ended.code} ${ended.stderr}` }
    }
    const service = await startService(t, environment.MOORING_DATA_DIR, { environment })
    const owner = printedOwner(service)
    const { email } = owner
    const headers = await signIn(service, owner)
    const list = (): Promise<CallResult> => service.call('GET', '/workspaces', { headers })
    const { id, slug } = (await list()).body.items[0] as { id: string; slug: string }

    const deleted = await service.call('DELETE', `/workspaces/${id}`, {
      headers,
      body: { confirm: slug },
    })
    assert.equal(deleted.status, 202, deleted.text)
    assert.deepEqual((await list()).body.items, [])
    assert.match((await mooring('workspaces restore nobody')).said, /^1 mooring: No workspace/)
    const restored = await mooring(`workspaces restore ${slug}`)
    assert.equal(restored.code, 0, restored.said)
    await until('it is there again', async () => (await list()).body.items.length === 1)

    await enrol(service, headers)
    await makeKey(service, id, headers)
    await addPasskey(service, headers)
    const off = await mooring(`accounts disable --email ${email.toUpperCase()}`)
    assert.match(off.said, new RegExp(`^0 [^]*The workspace ${slug} no longer has an owner`))
    assert.match(off.said, new RegExp(`API keys .* ${slug} stay valid: 1,`))
    await until('the session has ended', async () => (await list()).status === 401)
    assert.equal((await logIn(service, email, owner.password)).status, 401)
    assert.equal((await mooring(`accounts enable --email ${email}`)).code, 0)
    const again = await logIn(service, email, owner.password)
    assert.deepEqual([again.status, again.body.mfa_required], [200, true])

    const weak = await mooring(
      `accounts reset-password --email ${email} --password-stdin`,
      'password1\n',
    )
    assert.match(weak.said, /^1 mooring: The password is too common: /)
    const reset = await mooring(`accounts reset-password --email ${email} --remove-authenticator`)
    assert.equal(reset.code, 0, reset.said)
    assert.equal((await logIn(service, email, owner.password)).status, 401)
    const fresh = await logIn(service, email, reset.stdout.trim())
    assert.deepEqual([fresh.status, typeof fresh.body.access_token], [200, 'string'])
    assert.equal(fresh.body.password_change_required, true)
    await assertNoFactor(service, fresh)
    await deletes(mooring, email, slug)
    const none = await mooring('accounts disable --email nobody@example.com')
    assert.match(none.said, /^1 mooring: There is no account with this address/)
  })
})
