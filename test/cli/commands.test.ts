/** The commands for daily work, against the running service. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { listen, registerDevice, respondTo } from '../support/commands.ts'
import { prove, useNamedTenants } from '../support/domains.ts'
import { newDevice } from '../support/phones-and-devices.ts'
import { until } from '../support/until.ts'
import { toReceivers } from '../support/webhook-receiver.ts'
import { type Cli, useCli } from './run-cli.ts'

const { tenants: freshTenants, nameServer } = useNamedTenants(toReceivers)

interface Opened extends Cli {
  app: TestApp
  /** Runs a command that succeeds, and reads what it prints as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses freely
  json: (...args: string[]) => Promise<any>
}

async function open(t: TestContext): Promise<Opened> {
  const app = await freshTenants(t)
  const environment = { MOORING_URL: app.origin, MOORING_API_KEY: app.seed.platformKey }
  const cli = useCli(t, environment)
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli.run([...args, '-o', 'json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  return { ...cli, app, json }
}

test('devices are created, listed by a filter, shown by their key and deleted', async (t) => {
  const { run, json } = await open(t)
  const made = await json(
    'devices',
    'create',
    '--template',
    'sensor',
    '--key',
    'hall-1',
    '--tag',
    'floor=2',
  )
  assert.equal(made.tags.floor, '2')
  assert.ok(made.mqtt_credentials.mqtt_password)
  await json('devices', 'create', '--key', 'hall-2', '--name', 'Second')
  const found = await json('devices', 'list', '--filter', 'tags.floor = 2')
  assert.deepEqual(
    found.map((each: { device_key: string }) => each.device_key),
    ['hall-1'],
  )
  const { stdout } = await run(['devices', 'list', '--all'])
  const [title, ...lines] = stdout.trimEnd().split('\n')
  assert.match(title ?? '', /^DEVICE KEY +NAME +STATUS +CONNECTED +LAST SEEN AT +ID$/)
  assert.equal(lines.length, 2)
  assert.equal((await json('devices', 'get', 'hall-1')).id, made.id)
  const changed = await json(
    'devices',
    'update',
    'hall-1',
    '--tag',
    'wing=b',
    '--remove-tag',
    'floor',
  )
  assert.deepEqual(changed.tags, { wing: 'b' })
  const hostile = JSON.stringify({ '\u001b[2J': { '\u001b[2J': 1 } })
  const third = await run(['devices', 'create', '--key', 'hall-3', '--config', hostile])
  assert.ok(!third.stdout.includes('\u001b'), 'no control character reaches the terminal')
  assert.match(third.stdout, /^mqtt_credentials\.mqtt_password +\S{16,}$/m)
  await run(['devices', 'delete', 'hall-3'])
  assert.equal((await json('devices', 'suspend', 'hall-1')).status, 'suspended')
  const deleted = await run(['devices', 'delete', 'hall-1'])
  assert.deepEqual([deleted.code, deleted.stdout], [0, ''])
  assert.equal((await run(['devices', 'get', 'hall-1'])).code, 5)
})

test('an export can be imported again, and failed rows end with exit code 1', async (t) => {
  const { file, run } = await open(t)
  const folder = dirname(dirname(file))
  const rows = ['a', 'b', 'c'].map((name) => ({
    device_key: `k-${name}`,
    name,
    model_key: 'sensor',
  }))
  const input = rows.map((row) => JSON.stringify(row)).join('\n')
  const imported = await run(['devices', 'import', '-', '-o', 'ndjson'], { input })
  assert.equal(imported.code, 0, imported.stderr)
  assert.equal(imported.stderr, '3 created\n')
  const path = join(folder, 'devices.ndjson')
  assert.equal((await run(['devices', 'export', '--file', path])).code, 0)
  assert.equal(readFileSync(path, 'utf8').trim().split('\n').length, 3)
  assert.equal((await run(['devices', 'import', path])).stderr, '3 unchanged\n')
  writeFileSync(path, '{"device_key":"k-d","model_key":"no-such"}\n')
  const failed = await run(['devices', 'import', path])
  assert.equal(failed.code, 1)
  const [title, row] = failed.stdout.split('\n')
  assert.match(title ?? '', /^LINE +STATUS +DEVICE KEY +DEVICE ID +CODE +MESSAGE$/)
  assert.match(row ?? '', /^1 +failed +- +- +invalid_request +\/model_key /)
  const secret = await run(['devices', 'import', '-', '--credentials'], { input })
  assert.deepEqual([secret.code, secret.stdout], [2, ''])
  assert.match(secret.stderr, /add -o json or -o ndjson/)
  const broken = await run(['devices', 'import', '-'], { input: `${input}\nno` })
  assert.deepEqual(
    [broken.code, broken.stderr],
    [2, 'mooring: Line 4 is not JSON. Nothing was imported.\n'],
  )
  const missing = await run(['devices', 'import', 'none.ndjson'])
  assert.deepEqual([missing.code, missing.stderr], [2, 'mooring: There is no file none.ndjson.\n'])
  const csv = await run(['devices', 'export', '--format', 'csv', '--filter', 'name = "a"'])
  assert.equal(csv.stdout.trim().split('\n').length, 2)
})

test('keys and templates are created, listed and removed', async (t) => {
  const { app, json, run } = await open(t)
  const template = await json(
    'templates',
    'create',
    '--model',
    'lamp',
    '--name',
    'Lamp',
    '--serial-format',
    'L-%#f',
  )
  assert.equal((await json('templates', 'get', 'lamp')).id, template.id)
  const key = await json(
    'keys',
    'create',
    '--kind',
    'provision',
    '--name',
    'Line 1',
    '--template',
    'lamp',
  )
  assert.deepEqual(key.template_ids, [template.id])
  const factory = { 'service-auth-code': key.key as string }
  const provisions = () => app.call('GET', '/provision/device-templates', { headers: factory })
  assert.equal((await provisions()).status, 200)
  const names = (await json('keys', 'list')).map(({ name }: { name: string }) => name)
  assert.ok(names.includes('Line 1'))
  assert.equal((await run(['keys', 'revoke', key.id])).code, 0)
  assert.equal((await provisions()).status, 401)
  assert.equal((await run(['templates', 'delete', 'lamp'])).code, 0)
  const log = await json('audit', 'list', '--filter', 'action = api_key.revoked')
  assert.equal(log[0].resource.id, key.id)
  assert.equal((await json('audit', 'verify')).valid, true)
  const exported = await json('audit', 'export')
  assert.ok(exported.some(({ id }: { id: string }) => id === log[0].id))
})

test('a command waits for the acknowledgement, and a job for all of its devices', async (t) => {
  const { app, json, run } = await open(t)
  const device = await registerDevice(app)
  const { client } = await listen(t, device)
  client.on('message', (_topic, payload) => {
    const { id, name } = JSON.parse(payload.toString()) as { id: string; name: string }
    const isRefused = name === 'explode'
    void respondTo(client, device, {
      id,
      ok: !isRefused,
      ...(isRefused && { error: 'no \u001b[31mfuse' }),
    })
  })
  const sent = await json(
    'commands',
    'send',
    device.device_key,
    'reboot',
    '--payload',
    '{"after":1}',
    '--wait',
  )
  assert.equal(sent.status, 'acknowledged')
  const listed = await json('commands', 'list', device.device_key)
  assert.equal(listed[0].id, sent.id)
  const refused = await run(['commands', 'send', device.device_key, 'explode', '--wait'])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^mooring: The device has failed: no \ufffd\[31mfuse\.\n$/)
  assert.ok(!refused.stdout.includes('\u001b'), 'no control character reaches the terminal')
  const bad = await run(['commands', 'send', device.device_key, 'reboot', '--payload', '[1]'])
  assert.equal(bad.code, 2)
  const job = await json(
    'jobs',
    'start',
    'tag',
    '--device',
    device.device_key,
    '--set-tag',
    'line=3',
    '--wait',
  )
  assert.deepEqual([job.status, job.counts.succeeded], ['completed', 1])
  assert.equal((await json('devices', 'get', device.device_key)).tags.line, '3')
  assert.equal((await json('jobs', 'results', job.id))[0].device_key, device.device_key)
  const { stdout } = await run(['jobs', 'list'])
  assert.match(stdout, /^CREATED AT +ACTION +STATUS +SUCCEEDED +FAILED +TOTAL +ID\n/)
  const unnamed = await run(['jobs', 'start', 'tag', '--device', device.device_key])
  assert.equal(unnamed.code, 1)
  assert.match(unnamed.stderr, /^mooring: --set-tag is needed/)
})

test('an invalid service, cursor or key is reported', async (t) => {
  const { run } = await open(t)
  const unusable = await run(['whoami', '--url', 'foo'])
  assert.deepEqual([unusable.code, unusable.stdout], [2, ''])
  assert.match(unusable.stderr, /^mooring: foo is not the address of a service/)
  const cursor = await run(['events', 'tail', '--after', 'bogus'])
  assert.deepEqual([cursor.code, cursor.stdout], [2, ''])
  const environment = { MOORING_API_KEY: 'foo' }
  const refused = await run(['devices', 'list'], { environment })
  assert.deepEqual([refused.code, refused.stdout], [3, ''])
  assert.match(refused.stderr, /It is the key in MOORING_API_KEY\.\n$/)
  const filter = await run(['devices', 'list', '--filter', 'connected = maybe'])
  const wrong = '--filter cannot be read at character 13: connected must be true or false'
  assert.ok(filter.stderr.startsWith(`mooring: ${wrong}`), filter.stderr)
})

test('events and changes are printed as they happen, and messages are published', async (t) => {
  const { app, start, json } = await open(t)
  const device = await registerDevice(app)
  const watching = start(['devices', 'watch', '-o', 'ndjson'])
  const tailing = start([
    'events',
    'tail',
    '--types',
    'device.suspended',
    '-n',
    '1',
    '-o',
    'ndjson',
  ])
  await until('it watches', () => watching.output.stderr.includes('Watching'))
  // The tail has begun when it has seen an event: it begins at the latest one.
  await until('the event was printed', async () => {
    await json('devices', 'suspend', device.device_key)
    await json('devices', 'resume', device.device_key)
    return tailing.output.stdout !== ''
  })
  const { code, stdout } = await tailing.ended
  assert.equal(code, 0)
  const event = JSON.parse(stdout) as { type: string; data: { device_id: string } }
  assert.deepEqual([event.type, event.data.device_id], ['device.suspended', device.device_id])
  await until('the change was printed', () => watching.output.stdout.includes(device.device_key))
  watching.process.kill('SIGINT')
  assert.equal((await watching.ended).code, 130)
  const other = await registerDevice(app)
  const { heard } = await listen(t, other)
  const published = await json('messages', 'publish', `${other.topic}/cmd`, '{"id":"x"}', '--json')
  assert.equal(published.topic, `${other.topic}/cmd`)
  await until('the device has it', () => heard.some(({ id }) => id === 'x'))
})

test('messages are printed as they are published, by the topics of a filter', async (t) => {
  const { app, start, run, json } = await open(t)
  const { slug } = app.seed
  const args = ['messages', 'tail', `${slug}/hall/+`, '-n', '2', '-o', 'ndjson']
  const tailing = start(args)
  await until('it watches', () => tailing.output.stderr.includes(`Watching ${slug}/hall/+. `))
  await json('messages', 'publish', `${slug}/yard/door`, 'unseen')
  await json('messages', 'publish', `${slug}/hall/door`, 'open')
  await json('messages', 'publish', `${slug}/hall/lamp`, '{"on":true}', '--json', '--qos', '1')
  const { code, stdout, stderr } = await tailing.ended
  assert.equal(code, 0, stderr)
  const seen = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ topic, client, qos, payload }) => [topic, client, qos, payload])
  assert.deepEqual(seen, [
    [`${slug}/hall/door`, 'service', 0, 'open'],
    [`${slug}/hall/lamp`, 'service', 1, '{"on":true}'],
  ])
  const foreign = await run(['messages', 'tail', `${app.seed.other.slug}/#`])
  assert.equal(foreign.code, 1, foreign.stderr)
})

test('a host name is added with the record that proves it, listed, verified, and deleted', async (t) => {
  const { app, run, json } = await open(t)
  const name = `mqtt.${app.seed.slug}.com`
  const added = await run(['domains', 'add', name, '-o', 'json'])
  assert.equal(added.code, 0, added.stderr)
  const domain = JSON.parse(added.stdout)
  assert.deepEqual([domain.name, domain.purpose, domain.status], [name, 'mqtt', 'pending'])
  const { record, name: host, value } = domain.verification
  assert.ok(added.stderr.includes(`\n  ${host} ${record} ${value}\n`), added.stderr)
  const listed = await json('domains', 'list')
  assert.deepEqual(
    listed.map((each: { id: string }) => each.id),
    [domain.id],
  )
  assert.equal((await json('domains', 'get', domain.id)).name, name)
  const early = await run(['domains', 'verify', domain.id])
  assert.equal(early.code, 1, early.stderr)
  assert.match(early.stderr, /There is no TXT record at _service-verification\./)
  prove(nameServer(), domain)
  assert.equal((await json('domains', 'verify', domain.id)).status, 'verified')
  assert.equal((await run(['domains', 'delete', domain.id])).code, 0)
  assert.equal((await run(['domains', 'get', domain.id])).code, 5)
})

test('webhooks are received and verified, and a forged one is refused', async (t) => {
  const { start, run, json } = await open(t)
  const missing = await run(['webhooks', 'listen'])
  assert.equal(missing.code, 2)
  // The secret is needed to listen, and the address to create the webhook: a free port, twice.
  const probe = start(['webhooks', 'listen', '--port', '0', '--secret-stdin'], {
    input: 'whsec_AAAA',
  })
  await until('it listens', () => probe.output.stderr.includes('Listening'))
  const url = /http:\S+/.exec(probe.output.stderr)?.[0] ?? ''
  probe.process.kill('SIGINT')
  await probe.ended
  const unlike = await run(['webhooks', 'listen', '--secret-stdin'], { input: 'abc' })
  assert.equal(unlike.code, 2, 'a secret that no webhook has')
  const { id, secret } = await json('webhooks', 'create', url, '--types', 'device.*')
  const port = new URL(url).port
  const listening = start(['webhooks', 'listen', '--port', port, '-n', '1', '-o', 'ndjson'], {
    environment: { MOORING_WEBHOOK_SECRET: secret },
  })
  await until('it listens', () => listening.output.stderr.includes('Listening'))
  const forged = await fetch(url, { method: 'POST', body: '{}' })
  assert.equal(forged.status, 400)
  assert.match(listening.output.stderr, /Refused a request from 127\.0\.0\.1: /)
  assert.equal((await json('webhooks', 'test', id)).ok, true)
  const { code, stdout } = await listening.ended
  assert.equal(code, 0)
  assert.ok(JSON.parse(stdout).type)
})

test('a claim waits for a device that submits its code', async (t) => {
  const { app, file, start, json } = await open(t)
  const device = await newDevice(app)
  const waiting = start(['claims', 'create', '--name', 'Kitchen', '--wait', '-o', 'json'])
  await until('the code is shown', () => /Claim code: \S+\./.test(waiting.output.stderr))
  const code = /Claim code: (\S+)\./.exec(waiting.output.stderr)?.[1] ?? ''
  assert.equal((await device.bind(code)).status, 200)
  const ended = await waiting.ended
  assert.equal(ended.code, 0, ended.stderr)
  assert.equal(JSON.parse(ended.stdout).status, 'bound')
  const devices = await json('claims', 'devices')
  assert.equal(devices[0].name, 'Kitchen')
  assert.ok(
    readFileSync(file, 'utf8').includes('"phone"'),
    'the identity is kept for the next time',
  )
})
