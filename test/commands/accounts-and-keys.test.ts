/** Changes by the command line: alongside a running service, and while there is none. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { as } from '../support/app.ts'
import {
  newDataDir,
  ownDatabase,
  preparedDataDir,
  printedOwner,
  runMooring,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'

async function auditActions(service: Service, headers: Record<string, string>): Promise<unknown[]> {
  const { body: list } = await service.call('GET', '/workspaces', { headers })
  const { body } = await service.call('GET', `/workspaces/${list.items[0].id}/audit-log`, {
    headers,
  })
  return body.items.map(({ action, actor }: { action: string; actor: { kind: string } }) => [
    action,
    actor.kind,
  ])
}

describe('accounts and keys', () => {
  test('are made while the service runs and while it does not, and work in both', async (t) => {
    const environment = await ownDatabase(t)
    const start = () => startService(t, environment.MOORING_DATA_DIR, { environment })
    const mooring = (args: string, input?: string) =>
      runMooring(t, args.split(' '), { environment, ...(input && { input }) })
    const first = await start()
    const owner = printedOwner(first)
    const headers = await signIn(first, owner)

    const live = await mooring('keys create --workspace main --kind platform')
    assert.equal(live.code, 0, live.stderr)
    assert.match(live.stdout, /^service_ak_\w{49}\n$/)
    const platform = as.platformKey(live.stdout.trim())
    assert.equal((await first.call('GET', '/workspaces', { as: platform })).status, 200)

    const made = await mooring('accounts create --email ada@example.com --workspace main')
    assert.equal(made.code, 0, made.stderr)
    const ada = { email: 'ada@example.com', password: made.stdout.trim(), workspace: 'main' }
    const adas = await signIn(first, ada)
    const { body } = await first.call('GET', '/workspaces', { headers: adas })
    assert.equal(body.items[0].role, 'member')
    assert.deepEqual((await auditActions(first, headers)).slice(0, 2), [
      ['member.added', 'service'],
      ['api_key.created', 'service'],
    ])
    assert.equal((await first.stop()).code, 0)

    const later = await mooring('keys create --workspace main --kind provision --name Line --json')
    assert.equal(later.code, 0, later.stderr)
    assert.equal(later.stderr, '')
    const { key, name, created_by: by } = JSON.parse(later.stdout) as Record<string, string>
    assert.deepEqual([name, by], ['Line', 'service'])
    const password = 'a lamp beside seven seas'
    const typed = await mooring(
      'accounts create --email bo@example.com --password-stdin',
      `${password}\n`,
    )
    assert.deepEqual([typed.code, typed.stdout], [0, ''])

    const second = await start()
    const templates = await second.call('GET', '/provision/device-templates', {
      as: as.factory(key ?? ''),
    })
    assert.equal(templates.status, 200, templates.text)
    await signIn(second, { email: 'bo@example.com', password, workspace: '' })
    await signIn(second, ada)
  })
})

describe('invalid accounts and keys', () => {
  test('get one line, with code 1', async (t) => {
    const environment = { MOORING_DATA_DIR: await newDataDir(t) }
    const refused = async (args: string, words: RegExp, input?: string) => {
      const { code, stdout, stderr } = await runMooring(t, args.split(' '), {
        environment,
        ...(input && { input }),
      })
      assert.deepEqual([code, stdout], [1, ''], stderr)
      assert.match(stderr, /^mooring: [^\n]+\n$/)
      assert.match(stderr, words)
    }
    for (const args of ['keys create --workspace main --kind platform', 'migrate']) {
      await refused(args, /There is no database in/)
    }
    assert.ok(!existsSync(environment.MOORING_DATA_DIR), 'no database was made by mistake')
    environment.MOORING_DATA_DIR = await preparedDataDir(t)
    await startService(t, environment.MOORING_DATA_DIR)
    await refused('keys create --workspace mane --kind platform', /no workspace with the slug mane/)
    await refused('accounts create --email owner@example.com', /belongs to another account/)
    await refused('accounts create --email nobody', /--email must be/)
    await refused('accounts create --email a@b.io --password-stdin', /too common/, 'password1\n')
    await refused('accounts create --email a@b.io --workspace mane', /no workspace with the slug/)
  })
})
