/** A hardware id that comes again, under each setting of `on_known_device`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { useApp } from '../../../support/suite-app.ts'

const getApp = useApp()

type Setting = 'rotate' | 'replay_only' | 'refuse'
const SETTINGS: readonly Setting[] = ['rotate', 'replay_only', 'refuse']

async function keyWith({ call, seed }: TestApp, settings: object): Promise<string> {
  const { status, body, text } = await call('POST', `/workspaces/${seed.id}/api-keys`, {
    as: as.platformKey(seed.platformKey),
    body: { key_kind: 'provision', ...settings },
  })
  assert.equal(status, 201, text)
  return body.key as string
}

const post = ({ call }: TestApp, key: string, body: object, headers = {}): Promise<CallResult> =>
  call('POST', '/provision/device', { as: as.factory(key), body, headers })

/** The service, with hardware that no other test has. */
interface Line extends TestApp {
  hw: string
}

const newLine = (): Line => ({ ...getApp(), hw: newUuid() })

const hardware = ({ seed, hw }: Line, more: object = {}) => ({
  template_id: seed.template.id,
  hardware_id: hw,
  ...more,
})

const once = (key: string) => ({ 'idempotency-key': `"${key}"` })

const devicesOf = async ({ database, hw }: Line): Promise<number> => {
  const text = 'SELECT count(*) AS n FROM devices WHERE hardware_id = $1'
  return (await database.pool.query(text, [hw])).rows[0].n as number
}

/** The secrets of the first response are good no more. */
const overtake = ({ database, hw }: Line) =>
  database.pool.query(
    `DELETE FROM device_secrets WHERE kind = 'http' AND device_id IN (
       SELECT id FROM devices WHERE hardware_id = $1)`,
    [hw],
  )

function refused({ status, body, text }: CallResult): void {
  assert.equal(status, 409, text)
  assert.deepEqual([body.code, body.rule], ['device_already_registered', 'on_known_device'], text)
}

/** Registers, comes again as `again` says, and returns the outcome. */
async function comeAgain(
  app: Line,
  setting: Setting,
  again: (key: string, first: CallResult) => Promise<CallResult>,
): Promise<'replayed' | 'rotated' | 'refused'> {
  const key = await keyWith(app, { on_known_device: setting })
  const first = await post(app, key, hardware(app), once('first'))
  assert.equal(first.status, 201, first.text)
  const response = await again(key, first)
  assert.equal(await devicesOf(app), 1)
  if (response.status === 201) {
    assert.equal(response.text, first.text)
    return 'replayed'
  }
  if (response.status === 200) {
    assert.equal(response.body.device_id, first.body.device_id)
    assert.notEqual(response.body.mqtt_password, first.body.mqtt_password)
    return 'rotated'
  }
  refused(response)
  return 'refused'
}

const cases: readonly [
  string,
  (app: Line, key: string, first: CallResult) => Promise<CallResult>,
  Record<Setting, 'replayed' | 'rotated' | 'refused'>,
][] = [
  [
    'the same key, within a day',
    (app, key) => post(app, key, hardware(app)),
    { rotate: 'replayed', replay_only: 'replayed', refuse: 'refused' },
  ],
  [
    'its own device key',
    (app, key, { body }) => post(app, key, hardware(app, { device_key: body.device_key })),
    { rotate: 'replayed', replay_only: 'replayed', refuse: 'refused' },
  ],
  [
    'the same Idempotency-Key',
    (app, key) => post(app, key, hardware(app), once('first')),
    { rotate: 'replayed', replay_only: 'replayed', refuse: 'replayed' },
  ],
  [
    'another Idempotency-Key',
    (app, key) => post(app, key, hardware(app), once('second')),
    { rotate: 'replayed', replay_only: 'replayed', refuse: 'refused' },
  ],
  [
    'secrets that have been overtaken',
    async (app, key) => {
      await overtake(app)
      return post(app, key, hardware(app))
    },
    { rotate: 'rotated', replay_only: 'refused', refuse: 'refused' },
  ],
  [
    'the same Idempotency-Key, and secrets that have been overtaken',
    async (app, key) => {
      await overtake(app)
      return post(app, key, hardware(app), once('first'))
    },
    { rotate: 'rotated', replay_only: 'refused', refuse: 'refused' },
  ],
]

describe('a known hardware id', () => {
  for (const [name, again, expected] of cases) {
    for (const setting of SETTINGS) {
      test(`is ${expected[setting]} with ${name}, under ${setting}`, async () => {
        const app = newLine()
        const given = await comeAgain(app, setting, (key, first) => again(app, key, first))
        assert.equal(given, expected[setting])
      })
    }
  }
})

for (const setting of SETTINGS) {
  describe(`a known hardware id, under ${setting},`, () => {
    test('follows the setting of another key, if that key is used', async () => {
      const app = newLine()
      const first = await post(app, app.seed.provisionKey, hardware(app))
      const response = await post(
        app,
        await keyWith(app, { on_known_device: setting }),
        hardware(app),
      )
      if (setting !== 'rotate') return refused(response)
      assert.deepEqual([response.status, response.body.device_id], [200, first.body.device_id])
    })

    test('stays one device when it comes fifty times at once', async (t) => {
      const app = newLine()
      const key = await keyWith(app, { on_known_device: setting })
      const all = Array.from({ length: 50 }, () => post(app, key, hardware(app)))
      const responses = await Promise.all(all)
      const good = responses.filter(({ status }) => status === 201)
      for (const response of responses) if (response.status !== 201) refused(response)
      assert.equal(good.length, setting === 'refuse' ? 1 : 50)
      assert.equal(new Set(good.map(({ text }) => text)).size, 1)
      assert.equal(await devicesOf(app), 1)
      assert.equal((await tryConnect(t, good[0]?.body)).code, 0)
    })

    test('a known device key of other hardware is taken', async () => {
      const app = newLine()
      const key = await keyWith(app, { on_known_device: setting })
      const { body } = await post(app, key, hardware(app, { device_key: app.hw }))
      assert.equal(body.device_key, app.hw)
      const others = [{ device_key: app.hw }, { device_key: app.hw, hardware_id: 'other' }]
      for (const other of others) {
        assert.equal((await post(app, key, other)).body.code, 'device_key_taken')
      }
    })

    test('a rotation by device id depends on the actions of the key alone', async () => {
      const app = newLine()
      const key = await keyWith(app, { on_known_device: setting })
      const { body } = await post(app, key, hardware(app))
      const rotated = await post(app, key, { device_id: body.device_id })
      assert.equal(rotated.status, 200, rotated.text)
    })

    test('follows the same rule in the rows of a stream', async () => {
      const app = newLine()
      const key = await keyWith(app, { on_known_device: setting })
      await post(app, app.seed.provisionKey, hardware(app, { hardware_id: `${app.hw}-foreign` }))
      const stream = async (ids: readonly string[]): Promise<[number, string | undefined][]> => {
        const rows = ids.map((hardware_id) =>
          JSON.stringify(hardware(app, { hardware_id: `${app.hw}-${hardware_id}` })),
        )
        const { text } = await app.call('POST', '/provision/devices', {
          as: as.factory(key),
          headers: { 'content-type': 'application/x-ndjson' },
          body: rows.join('\n'),
        })
        return text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { status: number; rule?: string })
          .map(({ status, rule }) => [status, rule])
      }
      const again = setting === 'refuse' ? [409, 'on_known_device'] : [201, undefined]
      const strange = setting === 'rotate' ? [200, undefined] : [409, 'on_known_device']
      assert.deepEqual(await stream(['a', 'a', 'b', 'foreign']), [
        [201, undefined],
        again,
        [201, undefined],
        strange,
      ])
      assert.deepEqual(await stream(['b', 'c']), [again, [201, undefined]])
    })
  })
}

test('fifty requests at once with one Idempotency-Key get one response under `refuse`', async () => {
  const app = newLine()
  const key = await keyWith(app, { on_known_device: 'refuse' })
  const name = once(newUuid())
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => post(app, key, hardware(app), name)),
  )
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [201])
  assert.equal(new Set(responses.map(({ text }) => text)).size, 1)
})
