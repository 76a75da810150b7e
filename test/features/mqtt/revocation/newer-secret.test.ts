/**
 * A rotated secret that a client presents to an external broker: the notification of each broker.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { askAs, brokerNamed, brokersFile } from '../../../adapters/broker/hooks/ask-hooks.ts'
import { as } from '../../../support/app.ts'
import { registerDevice } from '../../../support/commands.ts'
import { useApp } from '../../../support/suite-app.ts'

/** No broker runs there: only the requests to it are examined. */
const admin = { url: 'http://127.0.0.1:1', username: 'key', password: 'secret' }
const names = ['emqx', 'emqx-6', 'emqx-asks']

describe('a rotated secret that is presented to an external broker', () => {
  const file = brokersFile(names.map((name) => ({ ...brokerNamed(name), admin })))
  const shared = useApp({ environment: { MOORING_BROKERS_FILE: file } })

  /** The client id that each of the brokers spares. */
  async function sparedAfter(broker: string, clientIdOf: (device: string, key: string) => string) {
    const app = shared()
    const { device_id, device_key, device_http_token } = await registerDevice(app)
    const { body } = await app.call('POST', '/devices/auth/credentials/rotate', {
      as: as.device(device_http_token),
    })
    const clientid = clientIdOf(device_id, device_key)
    const fields = { username: device_id, password: body.mqtt_password, clientid }
    const ask = askAs(`http://127.0.0.1:${app.app.ports.operator}`, broker)
    assert.match((await ask('emqx/authn', fields)).text, /"result":"allow"/)
    const { rows } = await app.database.pool.query<{ node: string; client_id: string | null }>(
      `SELECT n.node, r.client_id FROM mqtt_receipts r
       JOIN mqtt_receipt_nodes n ON n.workspace_id = r.workspace_id AND n.receipt_id = r.id
       WHERE r.reason = 'credentials_confirmed' AND r.subject = $1`,
      [device_id],
    )
    return { spared: new Map(rows.map((row) => [row.node, row.client_id])), device_id, device_key }
  }

  test('spares the session that presented it, and none of that name on other brokers', async () => {
    const { spared, device_id } = await sparedAfter('emqx', (id) => `${id}:a`)
    for (const name of names) {
      assert.equal(spared.get(name), name === 'emqx' ? `${device_id}:a` : null, name)
    }
  })

  test('spares it under the name that the broker gives it', async () => {
    const { spared, device_id, device_key } = await sparedAfter('emqx-6', (_, key) => key)
    assert.equal(spared.get('emqx-6'), `${device_id}:${device_key}`)
  })
})
