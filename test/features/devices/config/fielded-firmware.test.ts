/** Configurations for fielded firmware, which can't be changed: accepted forms, and reports. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import {
  configResponses,
  documentOf,
  readConfigRequest,
} from '../../../../src/features/devices/config/config-protocol.ts'
import type { TestApp } from '../../../support/app.ts'
import { type Fleet, registerDevice, staff } from '../../../support/commands.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { type Fetched, FirmwareConfigClient, MAX_CHUNKS } from './fielded-firmware.ts'

const freshTenants = useTenants()

/** A configuration whose text has this many bytes, and that gzip can't make much smaller. */
function configOf(bytes: number): { text: string } {
  let text = ''
  while (text.length < bytes) {
    text += createHash('sha512').update(String(text.length)).digest('base64')
  }
  return { text: text.slice(0, bytes - JSON.stringify({ text: '' }).length) }
}

const requestOf = (chunk_bytes: number, accept_encoding: string[], have?: string) => ({
  rid: 'r-1',
  ...(have !== undefined && { have: { version: 1, sha256: have } }),
  want: { chunk_bytes, max_total_bytes: 65_536, accept_encoding },
})

const good = { status: 'applied', error: null, error_code: null }
const bad = { status: 'failed', error: 'flash is full', error_code: 'CONFIG_APPLY_FAILED' }
const TIME = '2026-11-20T09:30:00.000Z'

/**
 * The configuration that the firmware makes of all messages; there must be none after the last that
 * it awaits.
 */
function fetchedFrom(responses: readonly Buffer[], request: ReturnType<typeof requestOf>): Fetched {
  const firmware = new FirmwareConfigClient(request)
  const outcomes = responses.map((response) => firmware.take(response))
  const last = outcomes.pop()
  assert.ok(last !== undefined, 'chunks are missing')
  assert.ok(
    outcomes.every((outcome) => outcome === undefined),
    'messages follow the last chunk',
  )
  return last
}

const CHUNK = 128
const sizes = [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 10_000, MAX_CHUNKS * CHUNK]

describe('messages to fielded firmware', () => {
  for (const accepted of [['identity'], ['gzip', 'identity']]) {
    for (const isUpToDate of [false, true]) {
      const what = isUpToDate ? 'that it has already' : 'that is new'
      test(`a configuration ${what} is sent in chunks that the firmware takes (${accepted[0]})`, () => {
        const documents = [{}, ...sizes.map(configOf)].map((config) => documentOf(config, 7, 0))
        for (const document of documents) {
          const have = isUpToDate ? document.sha256 : undefined
          const request = requestOf(CHUNK, accepted, have)
          const read = readConfigRequest(Buffer.from(JSON.stringify(request)))
          assert.ok(read)
          const fetched = fetchedFrom(configResponses(read, document), request)
          assert.ok('text' in fetched, JSON.stringify(fetched))
          assert.ok(fetched.text.equals(document.text))
          if (fetched.encoding !== 'identity') continue
          assert.equal(fetched.chunks, Math.ceil(document.text.length / CHUNK))
        }
      })
    }
  }

  test('a configuration of more chunks or bytes than it takes gets CONFIG_TOO_LARGE', () => {
    const document = documentOf(configOf(MAX_CHUNKS * CHUNK + 1), 7, 0)
    const tooMany = requestOf(CHUNK, ['identity'])
    const tooLarge = { ...tooMany, want: { chunk_bytes: 4_096, max_total_bytes: 10_000 } }
    for (const request of [tooMany, tooLarge]) {
      const read = readConfigRequest(Buffer.from(JSON.stringify(request)))
      assert.ok(read)
      const [response, ...others] = configResponses(read, document)
      assert.equal(others.length, 0)
      const fetched = new FirmwareConfigClient(request).take(response as Buffer)
      assert.deepEqual(fetched, { code: 'CONFIG_TOO_LARGE' })
    }
  })
})

const pathOf = (app: TestApp, { device_id }: Fleet): string =>
  `/workspaces/${app.seed.id}/devices/${device_id}/config`

const shown = async (app: TestApp, device: Fleet) =>
  (await app.call('GET', pathOf(app, device), { as: staff(app) })).body

/** Over MQTT, as it does it: subscribes, asks, and reports. */
async function bootFirmware(t: TestContext, device: Fleet) {
  const client = await connectDevice(t, device)
  const heard: Buffer[] = []
  client.on('message', (topic, payload) => {
    if (topic === `${device.topic}/config/resp`) heard.push(payload)
  })
  await client.subscribeAsync(`${device.topic}/config/#`, { qos: 0 })
  const report = (status: unknown) =>
    client.publishAsync(
      `${device.topic}/config/status`,
      typeof status === 'string' ? status : JSON.stringify(status),
      { qos: 1 },
    )
  const fetch = async (rid: string, have?: string): Promise<Fetched> => {
    const request = { ...requestOf(1_024, ['gzip', 'identity'], have), rid }
    const firmware = new FirmwareConfigClient(request)
    heard.length = 0
    await client.publishAsync(`${device.topic}/config/get`, JSON.stringify(request))
    let fetched: Fetched | undefined
    await until('the whole response', () => {
      while (fetched === undefined && heard.length > 0) {
        fetched = firmware.take(heard.shift() as Buffer)
      }
      return fetched !== undefined
    })
    return fetched as unknown as Fetched
  }
  return { fetch, report }
}

describe('a report of fielded firmware', () => {
  test('is shown and published as reported: applied, by its clock, or the error', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { fetch, report } = await bootFirmware(t, device)
    const config = configOf(32_000)
    const put = await app.call('PUT', pathOf(app, device), { as: staff(app), body: { config } })
    assert.equal(put.status, 200, put.text)
    const { version, sha256 } = put.body
    const text = { version, sha256 }
    for (const have of [undefined, sha256 as string]) {
      const fetched = await fetch(have ?? 'first', have)
      assert.ok('text' in fetched)
      assert.equal(fetched.text.toString(), JSON.stringify(config))
    }

    const applied_at = '2026-11-20T09:30:00Z'
    const said = { rid: 'first', applied: true, ...text, applied_at, error: null }
    await report(said)
    await until('the report', async () => (await shown(app, device)).reported !== null)
    const { reported_at, ...applied } = (await shown(app, device)).reported
    assert.ok(Date.parse(reported_at) > 0)
    assert.deepEqual(applied, { ...text, ...good, applied_at: TIME, is_present: true })

    const error = { code: 'CONFIG_APPLY_FAILED', message: 'flash is full' }
    await report({ ...said, applied: false, applied_at: '1970-01-01T00:00:12Z', error })
    await until('the failure', async () => (await shown(app, device)).reported.status === 'failed')
    const { reported_at: _, ...failed } = (await shown(app, device)).reported
    assert.deepEqual(failed, { ...text, ...bad, applied_at: null, is_present: true })

    const { device_id } = device
    const reports = await until('both events', async () => {
      const { body: feed } = await app.call(
        'GET',
        `/workspaces/${app.seed.id}/events?types=device.config_reported`,
        { as: staff(app) },
      )
      return feed.items.length === 2 && feed.items.map(({ data }: { data: object }) => data)
    })
    assert.deepEqual(reports, [
      { device_id, ...text, ...good, applied_at: TIME },
      { device_id, ...text, ...bad, applied_at: null },
    ])
  })

  test('with a time that is none, or without its offset, has no time', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { report } = await bootFirmware(t, device)
    const times = ['2026-11-20T09:30:00', '20 Nov 2026', '2026-11-20T09:30:60Z', 1_795_166_400]
    for (const [version, applied_at] of times.entries()) {
      await report({ rid: 1, applied: true, version, applied_at, error: null })
      const reported = await until(String(applied_at), async () => {
        const { reported: latest } = await shown(app, device)
        return latest?.version === version && latest
      })
      assert.equal(reported.applied_at, null, String(applied_at))
    }
  })

  test('of another version or text is shown as such, and an invalid report is ignored', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { report } = await bootFirmware(t, device)
    const { body } = await app.call('PUT', pathOf(app, device), {
      as: staff(app),
      body: { config: { interval_s: 5 } },
    })
    const { version, sha256 } = body
    const base = { rid: 1, applied: true, applied_at: '1970-01-01T00:00:00Z', error: null }
    const reports: [object, number | null, boolean][] = [
      [{ ...base, version: 1, sha256: '0'.repeat(64) }, 1, false],
      [{ ...base, version, sha256: 'f'.repeat(64) }, version, false],
      [{ ...base, version: 'two', sha256 }, null, false],
      [{ ...base, version, sha256: String(sha256).toUpperCase() }, version, true],
    ]
    for (const [said, expected, is_present] of reports) {
      await report('not JSON')
      await report({ rid: 1, version, sha256 })
      await report({ ...base, applied: 'yes', version, sha256 })
      await report(said)
      await until(JSON.stringify(said), async () => {
        const { reported } = await shown(app, device)
        return reported?.version === expected && reported?.is_present === is_present
      })
    }
  })
})
