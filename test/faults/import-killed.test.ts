/**
 * kill -9 in the middle of an import, and the same file again: every row is one device.
 * MOORING_TEST_IMPORT_ROWS says how many there are; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { as } from '../support/app.ts'
import { preparedDataDir, type Service, startService } from '../support/service.ts'
import { type Result, tally } from '../support/transfers.ts'

const ROWS = Number(process.env.MOORING_TEST_IMPORT_ROWS ?? 3_000)

const owner = {
  MOORING_BOOTSTRAP_EMAIL: 'owner@example.com',
  MOORING_BOOTSTRAP_PASSWORD: 'correct horse battery staple',
  MOORING_BOOTSTRAP_WORKSPACE: 'imports',
}

async function prepare({ call }: Service): Promise<{ key: string; base: string }> {
  const login = await call('POST', '/auth/login', {
    body: { email: owner.MOORING_BOOTSTRAP_EMAIL, password: owner.MOORING_BOOTSTRAP_PASSWORD },
  })
  const user = as.user(login.body.access_token)
  const { body: workspaces } = await call('GET', '/workspaces', { as: user })
  const base = `/workspaces/${workspaces.items[0].id}`
  const template = { model_key: 'sensor', name: 'Sensor', serial_format: 'S-%#f' }
  await call('POST', `${base}/device-templates`, { as: user, body: template })
  const key = await call('POST', `${base}/api-keys`, { as: user, body: { key_kind: 'platform' } })
  assert.equal(key.status, 201, key.text)
  return { key: key.body.key, base }
}

// Half of the rows have no key of their own: their serial numbers must not make doubles either.
const file = Array.from({ length: ROWS }, (_, index) =>
  JSON.stringify({
    ...(index % 2 === 0 && { device_key: `K-${index}` }),
    hardware_id: `hw-${index}`,
    model_key: 'sensor',
    tags: { floor: String(index % 9), site: 'north' },
  }),
).join('\n')

/** Sends the file, and reads results until there are `enough` or the connection ends. */
async function send(
  { origin }: Service,
  { key, base }: { key: string; base: string },
  enough: number,
): Promise<Result[]> {
  const sending = request(`${origin}/api/v1${base}/devices/import`, {
    method: 'POST',
    headers: { ...as.platformKey(key), 'content-type': 'application/x-ndjson' },
  })
  sending.on('error', () => {})
  sending.end(file)
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  const results: Result[] = []
  let rest = ''
  try {
    for await (const text of response.setEncoding('utf8')) {
      const lines = (rest + String(text)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) results.push(JSON.parse(line) as Result)
      if (results.length >= enough) return results
    }
  } catch {
    // The service is gone.
  }
  return results
}

test(`an import that is killed in the middle of ${ROWS} rows and sent again makes each device once`, {
  timeout: 300_000 + ROWS * 5,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  let service = await startService(t, dataDir, { environment: owner })
  const workspace = await prepare(service)
  const enough = Math.ceil(ROWS * (0.1 + 0.3 * Math.random()))
  const first = await send(service, workspace, enough)
  await service.stop('SIGKILL')
  assert.deepEqual(tally(first), { created: first.length })
  assert.ok(first.length < ROWS, 'the process was killed during the import')

  service = await startService(t, dataDir)
  const again = await send(service, workspace, Number.POSITIVE_INFINITY)
  assert.equal(again.length, ROWS)
  assert.equal(tally(again).failed, undefined)
  for (const [index, { device_id }] of first.entries()) {
    assert.equal(
      again[index]?.device_id,
      device_id,
      `row ${index + 1} has the same device as before`,
    )
    assert.equal(again[index]?.status, 'unchanged')
  }
  const exported = await service.call('GET', `${workspace.base}/devices/export`, {
    as: as.platformKey(workspace.key),
  })
  const devices = exported.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; hardware_id: string; device_key: string })
  assert.equal(devices.length, ROWS, 'there are no more devices than rows')
  for (const member of ['id', 'hardware_id', 'device_key'] as const) {
    assert.equal(new Set(devices.map((device) => device[member])).size, ROWS, member)
  }
  assert.equal((await service.stop()).code, 0)
})
