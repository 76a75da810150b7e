/** Backups of a running service, and what is restored from them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { as } from '../support/app.ts'
import { defer } from '../support/cleanup.ts'
import { emptyDatabaseUrl } from '../support/database.ts'
import {
  bare,
  newDataDir,
  main,
  type Owner,
  preparedDataDir,
  printedOwner,
  runMooring,
  type Service,
  signIn,
  type Started,
  startService,
} from '../support/service.ts'
import { until } from '../support/until.ts'

type Variables = Record<string, string>

const mooring = (t: TestContext, environment: Variables, ...args: string[]) =>
  runMooring(t, args, { environment })

/** Runs a command on a terminal, which it may ask questions on. */
function onTerminal(t: TestContext, environment: Variables, ...args: string[]): Started {
  const command = [process.execPath, main, ...args].join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: bare(environment),
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (text: Buffer) => (output[name] += text.toString()))
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  defer(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { process: child, output, ended }
}

/** Restores a backup on a terminal, where the question is repeated until the input can be used. */
async function restoreAsked(t: TestContext, environment: Variables, ...args: string[]) {
  const { process: child, output, ended } = onTerminal(t, environment, 'restore', ...args)
  await until('the question', () => output.stdout.includes('End those of nobody, of'))
  child.stdin?.write('of some\n')
  await until('it again', () => /some\s[^]*End those of nobody, of/.test(output.stdout))
  child.stdin?.write('people\n')
  return ended
}

interface Line {
  workspace: string
  headers: Record<string, string>
  /** Registers devices until it is stopped; the acknowledged ones so far. */
  devices: { id: string; token: string; serial: number }[]
  /** Registers one more. @returns its serial number */
  register: (service: Service, hardwareId: string) => Promise<number>
  stop: () => Promise<void>
}

/** A factory whose lines register devices all the time. */
async function startLine(service: Service, owner: Owner): Promise<Line> {
  const headers = await signIn(service, owner)
  const { body: list } = await service.call('GET', '/workspaces', { headers })
  const workspace = list.items[0].id as string
  const post = async (path: string, body: object) => {
    const made = await service.call('POST', `/workspaces/${workspace}${path}`, { headers, body })
    assert.equal(made.status, 201, made.text)
    return made.body
  }
  const { key } = await post('/api-keys', { key_kind: 'provision', name: 'Line 1' })
  const model = { model_key: 'lamp', name: 'Lamp', serial_format: 'L-%#f' }
  const { id: template } = await post('/device-templates', model)
  const devices: Line['devices'] = []
  const end = new AbortController()
  const provision = async (from: Service, hardwareId: string) => {
    const body = { template_id: template, hardware_id: hardwareId }
    const made = await from.call('POST', '/provision/device', { as: as.factory(key), body })
    assert.equal(made.status, 201, made.text)
    const { device_id: id, device_http_token: token, device_key: serial } = made.body
    return { id, token, serial: Number(/^L-(\d+)$/.exec(serial)?.[1]) }
  }
  const line = async (name: string): Promise<void> => {
    for (let at = 0; !end.signal.aborted; at += 1) {
      devices.push(await provision(service, `${name}-${at}`))
    }
  }
  const register: Line['register'] = async (from, id) => (await provision(from, id)).serial
  const lines = Promise.all(['a', 'b'].map(line))
  const stop = async (): Promise<void> => {
    end.abort()
    await lines
  }
  return { workspace, headers, devices, register, stop }
}

/** That a restored service has everything that was acknowledged before the backup began. */
async function assertComplete(service: Service, owner: Owner, line: Line, before: Line['devices']) {
  const headers = await signIn(service, owner)
  const path = `/workspaces/${line.workspace}`
  for (const { id } of before) {
    const found = await service.call('GET', `${path}/devices/${id}`, { headers })
    assert.equal(found.status, 200, `${id}: ${found.text}`)
  }
  const last = before.at(-1)
  assert.ok(last)
  const own = await service.call('GET', '/devices/auth/me', { as: as.device(last.token) })
  assert.equal(own.status, 200, own.text)
  const chain = await service.call('GET', `${path}/audit-log/verify`, { headers })
  assert.equal(chain.status, 200)
  assert.equal(chain.body.valid, true, chain.text)
}

async function assertSkipped(service: Service, line: Line, count: number): Promise<void> {
  const before = Math.min(...line.devices.map(({ serial }) => serial))
  const serial = await line.register(service, 'after')
  assert.ok(serial > before + count, `${serial} after ${before}`)
}

/** The text for people about a verified backup. */
async function assertSummed(t: TestContext, verify: string[], devices: number): Promise<void> {
  const { stdout: brief } = await mooring(t, {}, ...verify)
  assert.match(
    brief,
    new RegExp(`^[\\d,]+ rows in \\d+ tables \\(workspaces: 1, .*devices: ${devices}\\)\n$`),
  )
  const { stdout: all } = await mooring(t, {}, ...verify, '--verbose')
  assert.match(all, new RegExp(`^devices +${devices}$`, 'm'))
}

describe('a backup', () => {
  test('taken under load has all that was acknowledged before, in another place', async (t) => {
    const dataDir = await preparedDataDir(t)
    const environment = { MOORING_DATA_DIR: dataDir }
    const folder = dirname(dataDir)
    const file = join(folder, 'mooring.backup')
    const first = await startService(t, dataDir)
    const owner = printedOwner(first)
    const line = await startLine(first, owner)
    while (line.devices.length < 30) await new Promise((resolve) => setTimeout(resolve, 20))

    const before = [...line.devices]
    const made = await mooring(t, environment, 'backup', file, '--json')
    await line.stop()
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stderr, /The master key is not in it/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.ok(
      !readFileSync(file).includes(readFileSync(join(dataDir, 'master.key'), 'utf8').trim()),
    )
    const again = await mooring(t, environment, 'backup', file)
    assert.equal(again.code, 1)
    assert.match(again.stderr, /is there already: name a new file/)
    await first.stop()

    const key = join(folder, 'key.txt')
    copyFileSync(join(dataDir, 'master.key'), key)
    const other = { MOORING_DATA_DIR: await newDataDir(t) }
    const undecided = await mooring(t, other, 'restore', file, '--master-key-file', key)
    assert.equal(undecided.code, 2, undecided.stderr)
    assert.match(undecided.stderr, /--end-sessions; or --nothing-lost/)
    const keyless = await mooring(t, other, 'restore', file, '--end-sessions', 'people')
    assert.equal(keyless.code, 1)
    assert.match(keyless.stderr, /needs the master key [0-9a-f]{8}…, which is kept apart/)

    const options = ['--skip-serials', '70000', '--skip-invoices', '7', '--master-key-file', key]
    const restored = await restoreAsked(t, other, file, ...options)
    assert.equal(restored.code, 0, restored.stdout)
    assert.match(restored.stdout, /revoke again what was revoked/)
    const second = await startService(t, other.MOORING_DATA_DIR)
    const ended = await second.call('GET', '/workspaces', { headers: line.headers })
    assert.equal(ended.status, 401, 'sessions of before are ended')
    await assertComplete(second, owner, line, before)
    await assertSkipped(second, line, 70_000)
    await second.stop()

    const twice = await mooring(t, other, 'restore', file, '--nothing-lost')
    assert.equal(twice.code, 1)
    assert.match(twice.stderr, /There is an installation in the database already/)
  })

  test('moves an installation to a Postgres of its own, with its sessions and numbers', async (t) => {
    const dataDir = await preparedDataDir(t)
    const environment = { MOORING_DATA_DIR: dataDir }
    const folder = dirname(dataDir)
    const [file, keys, phrase] = ['it.backup', 'backup.key', 'phrase'].map((name) =>
      join(folder, name),
    ) as [string, string, string]
    const first = await startService(t, dataDir)
    const line = await startLine(first, printedOwner(first))
    while (line.devices.length < 3) await new Promise((resolve) => setTimeout(resolve, 20))
    await line.stop()
    await first.stop()
    const made = await mooring(t, {}, 'backup', 'make-key', keys)
    assert.match(made.stdout, /^age1\w+\n$/)
    writeFileSync(phrase, 'not this\n')

    // The service is not running now.
    const backup = await mooring(t, environment, 'backup', file, '--key-file', keys)
    assert.equal(backup.code, 0, backup.stderr)
    const wrong = await mooring(t, {}, 'backup', 'verify', file, '--passphrase-file', phrase)
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /The passphrase is not the one/)
    const verified = await mooring(t, {}, 'backup', 'verify', file, '--key-file', keys, '--json')
    assert.equal(verified.code, 0, verified.stderr)
    assert.equal(JSON.parse(verified.stdout).rows.devices, line.devices.length)
    await assertSummed(t, ['backup', 'verify', file, '--key-file', keys], line.devices.length)

    const own = {
      DATABASE_URL: await emptyDatabaseUrl(t),
      MOORING_MASTER_KEY: readFileSync(join(dataDir, 'master.key'), 'utf8').trim(),
      MOORING_DATA_DIR: await newDataDir(t),
    }
    const options = ['--key-file', keys, '--nothing-lost']
    const lying = { ...own, MOORING_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
    const refused = await mooring(t, lying, 'restore', file, ...options)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /does not open this backup, which needs [0-9a-f]{8}…/)
    const restored = await mooring(t, own, 'restore', file, ...options)
    assert.equal(restored.code, 0, restored.stderr)
    const stages = /^Verifying .*\nMaking .*\nLoading [\d,]+ rows.*\nAll rows .*\nThe backup /m
    assert.match(restored.stderr, stages)

    const second = await startService(t, own.MOORING_DATA_DIR, { environment: own })
    const { headers, workspace } = line
    const list = await second.call('GET', `/workspaces/${workspace}/devices`, { headers })
    assert.equal(list.status, 200, 'the session of before continues')
    assert.equal(list.body.items.length, line.devices.length)
  })
})
