/** Rotation campaigns in tests: started, and looked at when a test wants it. */
import assert from 'node:assert/strict'
import { runWork } from '../../../../src/features/fleet/device-work/work-run.ts'
import { campaignKind } from '../../../../src/features/fleet/rotation-campaigns/campaign-kind.ts'
import { stepOfCampaign } from '../../../../src/features/fleet/rotation-campaigns/campaign-run.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { seedDevice, type SeededDevice } from '../../../support/credentials.ts'

export const owner = ({ seed }: TestApp) => ({ as: as.user(seed.owner.token) })
export const base = ({ seed }: TestApp): string => `/workspaces/${seed.id}/rotation-campaigns`

export const post = (app: TestApp, body: Record<string, unknown>) =>
  app.call('POST', base(app), { ...owner(app), body })

export const turn = (app: TestApp, id: string, verb: 'pause' | 'resume' | 'cancel') =>
  app.call('POST', `${base(app)}/${id}/${verb}`, owner(app))

export const read = async (app: TestApp, id: string) =>
  (await app.call('GET', `${base(app)}/${id}`, owner(app))).body

export async function seedDevices(app: TestApp, count: number): Promise<SeededDevice[]> {
  const devices = []
  for (let n = 0; n < count; n += 1) devices.push(await seedDevice(app, app.seed, 'active'))
  return devices
}

/** Has a campaign looked at now, and not only when its time has come. */
export async function advance(app: TestApp, id: string) {
  const key = { workspaceId: app.seed.uuid, id: parseId('cmp', id) as string }
  const { signal } = new AbortController()
  await runWork(campaignKind, stepOfCampaign, app.services, key, signal)
  return read(app, id)
}

export const started = async (app: TestApp, body: Record<string, unknown>) => {
  const created = await post(app, body)
  assert.equal(created.status, 201, created.text)
  return advance(app, created.body.id)
}

/** Lets time pass for the devices that were asked. */
export const age = (app: TestApp, id: string): Promise<unknown> =>
  app.app.database.pool.query(
    `WITH earlier AS (
       UPDATE device_presence SET last_seen_at = last_seen_at - interval '3 hours'
       WHERE workspace_id = $2
     )
     UPDATE rotation_campaign_devices
     SET asked_at = asked_at - interval '2 hours', online_at = online_at - interval '2 hours'
     WHERE campaign_id = $1`,
    [parseId('cmp', id), app.seed.uuid],
  )

export const connect = (app: TestApp, devices: readonly SeededDevice[]): Promise<unknown> =>
  app.app.database.pool.query(
    `INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id,
                                  last_seen_at)
     SELECT $1, id, true, 1, $3, now() FROM unnest($2::uuid[]) AS id
     ON CONFLICT (workspace_id, device_id) DO UPDATE SET connected = true`,
    [app.seed.uuid, devices.map(({ uuid }) => uuid), app.services.nodeId],
  )

export const me = (app: TestApp, token: string) =>
  app.call('GET', '/devices/auth/me', { as: as.device(token) })

export const rotate = async (app: TestApp, { token }: SeededDevice): Promise<string> => {
  const response = await app.call('POST', '/devices/auth/credentials/rotate', {
    as: as.device(token),
  })
  assert.equal(response.status, 200, response.text)
  return response.body.device_http_token
}

export const codes = async (app: TestApp, id: string, status: string) => {
  const path = `${base(app)}/${id}/devices?status=${status}`
  const { body } = await app.call('GET', path, owner(app))
  return body.items.map(({ device_id, code }: { device_id: string; code: string }) => ({
    device_id,
    code,
  }))
}
