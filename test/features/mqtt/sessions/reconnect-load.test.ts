/** A fleet that comes back at once is let in, and costs the database one read of each device. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { generateDeviceSecrets } from '../../../../src/features/mqtt/device-secrets/device-secret.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { connectPacket } from '../../../adapters/broker/raw-client.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { until } from '../../../support/until.ts'
import { startMqttService } from './second-mqtt-service.ts'

const DEVICES = 200
const JITTER_MS = 300

interface Member {
  id: string
  packet: Buffer
  socket: Socket | undefined
  /** The return codes of its CONNACKs. */
  codes: (number | undefined)[]
}

/** Devices that have been connected before. */
async function fleetOf({ database, services, seed }: TestApp): Promise<Member[]> {
  const rows = Array.from({ length: DEVICES }, () => ({
    uuid: newUuid(),
    ...generateDeviceSecrets(services.keyring),
  }))
  await database.query(
    unnamed(
      `WITH device AS (
         INSERT INTO devices (workspace_id, id, device_key, name, template_id, status)
         SELECT $1, id, 'herd-' || id, 'x', $2, 'active' FROM unnest($3::uuid[]) AS id
       )
       INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
       SELECT $1, id, 'mqtt', 1, hash FROM unnest($3::uuid[], $4::bytea[]) AS t (id, hash)`,
    ),
    [seed.uuid, seed.template.uuid, rows.map(({ uuid }) => uuid), rows.map((row) => row.mqttHash)],
  )
  return rows.map(({ uuid, mqttPassword: password }) => {
    const id = formatId('dev', uuid)
    const packet = connectPacket({ version: 4, clientId: id, username: id, password })
    return { id, packet, socket: undefined, codes: [] }
  })
}

/** Comes back after a pause, and after another one as often as nobody answers. */
async function comeBack(t: TestContext, port: number, member: Member): Promise<void> {
  await sleep(Math.random() * JITTER_MS)
  const responded = await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(member.packet))
    t.after(() => socket.destroy())
    socket.on('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('data', (bytes) => {
      member.codes.push(bytes[3])
      member.socket = socket
      resolve(true)
    })
  })
  if (!responded) await comeBack(t, port, member)
}

test('a fleet comes back after a restart: nobody is refused, each is read once', async (t) => {
  const app = await startApp(t)
  const fleet = await fleetOf(app)
  const before = await startMqttService(t, app)
  const { port } = before.broker
  await Promise.all(fleet.map((member) => comeBack(t, port, member)))
  assert.equal(before.broker.connections().length, DEVICES)
  before.stop()
  await before.broker.stop()
  await until('the sockets of all sessions are closed', () =>
    fleet.every(({ socket }) => socket?.destroyed === true),
  )
  const back = Promise.all(fleet.map((member) => comeBack(t, port, member)))
  await sleep(JITTER_MS)
  const config = { ...app.config, mqttPort: port }
  const after = await startMqttService(t, { ...app, config })
  const path = `/workspaces/${app.seed.id}/devices/${fleet[0]?.id}`
  const responses = []
  for (let asked = 0; asked < 20; asked += 1) {
    responses.push(
      (await app.call('GET', path, { as: as.platformKey(app.seed.platformKey) })).status,
    )
  }
  await back
  assert.ok(responses.every((status) => status === 200))
  assert.ok(fleet.every(({ codes }) => codes.length === 2 && codes.every((code) => code === 0)))
  assert.equal(after.broker.connections().length, DEVICES)
  assert.deepEqual(
    fleet.map(({ id }) => after.readsOf(id)),
    fleet.map(() => 1),
  )
  assert.deepEqual(after.logged, [])
})
