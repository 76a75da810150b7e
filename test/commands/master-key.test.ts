/** The master key of a service is replaced: nothing that worked stops, and the earlier key does. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import pg from 'pg'
import { findEmbeddedPostgres } from '../../src/platform/database/embedded.ts'
import {
  type Owner,
  preparedDataDir,
  printedOwner,
  runMooring,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'
import { codeOf } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

function commandsOn(t: TestContext, dataDir: string) {
  return async (args: string, masterKey?: string) => {
    const ended = await runMooring(t, args.split(' '), {
      environment: {
        MOORING_DATA_DIR: dataDir,
        ...(masterKey !== undefined && { MOORING_MASTER_KEY: masterKey }),
      },
    })
    return { ...ended, said: `${ended.code} ${ended.stderr}` }
  }
}

async function ask<Row extends object>(dataDir: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(await findEmbeddedPostgres(dataDir))
  await client.connect()
  const { rows } = await client.query<Row>(sql)
  await client.end()
  return rows
}

const credentials = ({ email, password }: Owner) => ({ email, password })

/** Signs in with both factors, as if the code of this step were not used yet. */
async function signInByCode(
  service: Service,
  dataDir: string,
  owner: Owner,
  secret: string,
): Promise<number> {
  await ask(dataDir, 'UPDATE user_totp SET last_step = 0')
  const { body } = await service.call('POST', '/auth/login', { body: credentials(owner) })
  const code = codeOf(secret, { now: () => Date.now() })
  const verified = await service.call('POST', '/auth/mfa/verify', {
    body: { mfa_token: body.mfa_token, code },
  })
  return verified.status
}

/** A session, an authenticator and a webhook: derived values, and encrypted ones. */
async function prepare(service: Service, owner: Owner) {
  const headers = await signIn(service, owner)
  const { body: workspaces } = await service.call('GET', '/workspaces', { headers })
  const path = `/workspaces/${workspaces.items[0].id}`
  const login = await service.call('POST', '/auth/login', { body: credentials(owner) })
  const refreshToken = login.body.refresh_token as string
  const hook = { url: 'https://example.com/hook', types: ['device.updated'] }
  const made = await service.call('POST', `${path}/webhooks`, { headers, body: hook })
  assert.equal(made.status, 201, made.text)
  const { body: totp } = await service.call('POST', '/auth/mfa/totp', { headers })
  const code = codeOf(totp.secret, { now: () => Date.now() })
  const body = { code, end_other_sessions: false }
  const confirmed = await service.call('POST', '/auth/mfa/totp/confirm', { headers, body })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { headers, path, refreshToken, secret: totp.secret as string }
}

const kidsOf = async (service: Service): Promise<string[]> => {
  const response = await fetch(`${service.origin}/.well-known/jwks.json`)
  return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
}

const encryptedRoots = async (dataDir: string): Promise<number[]> => {
  const rows = await ask<{ root: number }>(
    dataDir,
    `SELECT get_byte(sealed_private, 0) AS root FROM signing_keys
     UNION SELECT get_byte(sealed_secret, 0) FROM user_totp
     UNION SELECT get_byte(secret, 0) FROM webhooks`,
  )
  return rows.map(({ root }) => root)
}

describe('the replacement of the master key', { timeout: 300_000 }, () => {
  test('continues with what there is, and leaves the earlier key without use', async (t) => {
    const dataDir = await preparedDataDir(t)
    const mooring = commandsOn(t, dataDir)
    const keyIn = (name: string): string => readFileSync(join(dataDir, name), 'utf8').trim()
    let service = await startService(t, dataDir)
    const owner = printedOwner(service)
    const { headers, path, refreshToken, secret } = await prepare(service, owner)
    const refresh = (token: string) =>
      service.call('POST', '/auth/refresh', { body: { refresh_token: token } })
    assert.match((await mooring('master-key finish')).said, /^0 .*never replaced/)
    // As a process of a build that knows no root keys leaves it.
    const old = "'00000000-0000-4000-8000-000000000000'"
    await ask(
      dataDir,
      `INSERT INTO nodes (id, beat_at) VALUES (${old}, now() + interval '1 minute')`,
    )
    assert.match((await mooring('master-key replace')).said, /^1 [^]*1 process of 2 did not/)
    await ask(dataDir, `DELETE FROM nodes WHERE id = ${old}`)
    assert.equal((await service.stop()).code, 0)

    const earlier = keyIn('master.key')
    assert.match((await mooring('master-key replace')).said, /^0 [^]*both are valid now/)
    assert.equal(keyIn('master.key.before'), earlier)
    assert.notEqual(keyIn('master.key'), earlier)
    assert.match((await mooring('master-key replace')).said, /^1 [^]*A replacement is in progress/)

    service = await startService(t, dataDir)
    assert.deepEqual(await encryptedRoots(dataDir), [1])
    const { stdout } = await mooring('master-key status --json')
    assert.deepEqual(JSON.parse(stdout).valid.length, 2, stdout)
    assert.match((await mooring('master-key finish', earlier)).said, /^1 [^]*is the earlier one/)
    const wrong = await mooring('master-key finish --give-up', earlier)
    assert.match(wrong.said, /^1 [^]*1 process of 1 did not start with this master key/)
    const before = await kidsOf(service)
    const finished = await mooring('master-key finish --replace-signing-keys')
    assert.match(finished.said, /^0 [^]*The only valid master key[^]*on the earlier key/)
    assert.deepEqual(await encryptedRoots(dataDir), [2])
    const kids = await until('it signs with a new key', async () => {
      const found = await kidsOf(service)
      return found.length === 4 && found
    })
    assert.ok(before.every((kid) => kids.includes(kid)))
    assert.match((await mooring('master-key status', earlier)).said, /^1 [^]*has been replaced/)

    assert.equal(await signInByCode(service, dataDir, owner, secret), 200)
    const refreshed = await refresh(refreshToken)
    assert.equal(refreshed.status, 200, refreshed.text)
    const verified = await service.call('GET', `${path}/audit-log/verify`, { headers })
    assert.equal(verified.body.valid, true, verified.text)
    assert.equal((await service.stop()).code, 0)
    service = await startService(t, dataDir)
    assert.equal((await refresh(refreshed.body.refresh_token)).status, 200)
    assert.equal((await service.stop()).code, 0)
  })
})
