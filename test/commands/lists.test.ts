/** The lists of the operator, and the address of an account that the operator changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownDatabase, printedOwner, runMooring, signIn, startService } from '../support/service.ts'

test('accounts, workspaces, keys and invitations are listed', async (t) => {
  const environment = await ownDatabase(t)
  const mooring = (args: string) => runMooring(t, args.split(' '), { environment })
  const listed = async (args: string): Promise<Record<string, unknown>[]> => {
    const { code, stdout, stderr } = await mooring(`${args} --json`)
    assert.equal(code, 0, stderr)
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }
  const service = await startService(t, environment.MOORING_DATA_DIR, { environment })
  const owner = printedOwner(service)
  const headers = await signIn(service, owner)
  const { body } = await service.call('GET', '/workspaces', { headers })
  const path = `/workspaces/${body.items[0].id}`
  const invitation = { email: 'ada@example.com', role: 'viewer' }
  const invited = await service.call('POST', `${path}/invitations`, { headers, body: invitation })
  assert.equal(invited.status, 201, invited.text)
  const key = { key_kind: 'provision', name: 'Line 1' }
  const made = await service.call('POST', `${path}/api-keys`, { headers, body: key })
  assert.equal(made.status, 201, made.text)

  const [account] = await listed('accounts list')
  assert.equal(account?.email, owner.email)
  assert.equal(account.workspaces, 'main (owner)')
  assert.equal(account.second_factor, false)
  const [workspace] = await listed('workspaces list')
  assert.deepEqual([workspace?.slug, workspace?.members], ['main', 1])
  const [found] = await listed('keys list --workspace main')
  assert.deepEqual([found?.id, found?.name, found?.status], [made.body.id, 'Line 1', 'active'])
  assert.ok(!JSON.stringify(found).includes(made.body.key))
  const [open] = await listed('invitations list')
  assert.deepEqual(
    [open?.id, open?.email, open?.role],
    [invited.body.id, 'ada@example.com', 'viewer'],
  )
  const table = await mooring('accounts list')
  assert.match(table.stdout, /^email +id +name +status +second_factor/)
  const unknown = await mooring('keys list --workspace none')
  assert.equal(unknown.code, 1)

  assert.equal((await mooring('accounts create --email bob@example.com')).code, 0)
  const limited = await mooring('accounts list --limit 1 --json')
  assert.equal(limited.code, 1)
  assert.match(limited.stderr, /There are more than 1: raise --limit/)
  await service.stop()
})

test('the operator changes the address of an account, whose sessions stay', async (t) => {
  const environment = await ownDatabase(t)
  const mooring = (args: string) => runMooring(t, args.split(' '), { environment })
  const service = await startService(t, environment.MOORING_DATA_DIR, { environment })
  const owner = printedOwner(service)
  const headers = await signIn(service, owner)
  assert.equal((await mooring('accounts create --email bob@example.com')).code, 0)
  const taken = await mooring(`accounts set-email --email ${owner.email} --to bob@example.com`)
  assert.equal(taken.code, 1, taken.stderr)
  const changed = await mooring(`accounts set-email --email ${owner.email} --to new@example.com`)
  assert.equal(changed.code, 0, changed.stderr)
  const { password } = owner
  const signedIn = (email: string) =>
    service.call('POST', '/auth/login', { body: { email, password } })
  assert.equal((await signedIn('new@example.com')).status, 200)
  assert.equal((await signedIn(owner.email)).status, 401)
  assert.equal((await service.call('GET', '/workspaces', { headers })).status, 200)
  await service.stop()
})
