/** The parts behind the MQTT port, a second time on the database of a service that runs. */
import type { TestContext } from 'node:test'
import { openCertificate } from '../../../../src/app/certificate.ts'
import { createMqtt, type Mqtt } from '../../../../src/app/mqtt.ts'
import { Heartbeat } from '../../../../src/features/mqtt/sessions/heartbeat.ts'
import type { PointReader } from '../../../../src/platform/database/connect.ts'
import { newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import type { DeviceLogin } from '../../../support/mqtt.ts'

export interface TestMqttService extends Mqtt {
  nodeId: string
  logged: string[]
  heartbeat: Heartbeat
  /** How often the database was read for a CONNECT or a review of this device. */
  readsOf: (deviceId: string) => number
}

export async function startMqttService(t: TestContext, app: TestApp): Promise<TestMqttService> {
  const { services, config } = app
  const { feed, keyring, clock } = services
  const nodeId = newUuid()
  const logged: string[] = []
  const reads = new Map<unknown, number>()
  const points: PointReader = {
    query(statement, values = []) {
      for (const id of values.flat()) reads.set(id, (reads.get(id) ?? 0) + 1)
      return app.database.points.query(statement, values)
    },
  }
  const side = createMqtt({
    config,
    hasListeners: true,
    database: { ...app.database, points },
    feed,
    keyring,
    clock,
    nodeId,
    certificate: openCertificate(config, {
      db: app.database,
      keyring,
      feed,
      clock,
      warn: (message) => void logged.push(message),
    }),
    brokers: { present: () => [], onChange: () => {} },
    domains: services.domains,
    log: (_level, message) => void logged.push(message),
  })
  const heartbeat = new Heartbeat({ db: app.database, clock, nodeId }, [side.reportAgain])
  await heartbeat.beat()
  // Nobody beats for it here, and the service that runs must not take it for dead meanwhile.
  const alive = `UPDATE nodes SET beat_at = now() + interval '1 day' WHERE id = $1`
  await app.database.pool.query(alive, [nodeId])
  await side.broker.start(side.authority)
  defer(t, async () => {
    side.stop()
    await side.broker.stop()
  })
  const readsOf = (deviceId: string): number => reads.get(parseId('dev', deviceId)) ?? 0
  return { ...side, heartbeat, nodeId, logged, readsOf }
}

export interface Registered extends DeviceLogin {
  device_key: string
  workspace_slug: string
}

/** Registers a device, or gives one that is there a new secret; the login is for this port. */
export async function provision(
  { call, seed }: TestApp,
  port: number,
  body?: Record<string, string>,
): Promise<Registered> {
  const response = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: body ?? { template_id: seed.template.id },
  })
  return { ...response.body, mqtt_port: port }
}
