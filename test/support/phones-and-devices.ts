/** Phones and devices for tests of claims: sessions through the API, devices straight into rows. */
import assert from 'node:assert/strict'
import { statement } from './statement.ts'
import { generateDeviceSecrets } from '../../src/features/mqtt/device-secrets/device-secret.ts'
import { formatId, newUuid, parseId } from '../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from './app.ts'

export interface Phone {
  moidId: string
  sessionId: string
  token: string
  refreshToken: string
  call(method: string, path: string, body?: unknown): Promise<CallResult>
}

/** A phone with a session of its own; locked to the workspace, if one is given. */
export async function newPhone(app: TestApp, workspaceId?: string): Promise<Phone> {
  const body = workspaceId === undefined ? {} : { workspace_id: workspaceId }
  const session = await app.call('POST', '/moid/session', { body })
  assert.equal(session.status, 201, session.text)
  const { moid_id: moidId, session_id: sessionId, access_token: token } = session.body
  return {
    moidId,
    sessionId,
    token,
    refreshToken: session.body.refresh_token,
    call: (method, path, json) =>
      app.call(method, path, {
        as: as.phone(token),
        ...(json !== undefined && { body: json }),
      }),
  }
}

export interface TestDevice {
  uuid: string
  id: string
  token: string
  call(method: string, path: string, body?: unknown): Promise<CallResult>
  bind(claimCode: unknown): Promise<CallResult>
}

const insertDevices = statement(
  'test.insert_devices',
  `WITH device AS (
     INSERT INTO devices (workspace_id, id, device_key, name, template_id)
     SELECT $1, d.id, 'k-' || d.id, 'Device', $2 FROM unnest($3::uuid[]) AS d (id)
   )
   INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
   SELECT $1, s.id, s.kind, 1, s.hash
   FROM (SELECT d.id, 'mqtt' AS kind, d.hash FROM unnest($3::uuid[], $4::bytea[]) AS d (id, hash)
         UNION ALL
         SELECT d.id, 'http', d.hash FROM unnest($3::uuid[], $5::bytea[]) AS d (id, hash)) AS s`,
)

/** Registered devices with confirmed secrets. */
export async function newDevices(
  app: TestApp,
  count: number,
  workspace: { uuid: string; template: { uuid: string } } = app.seed,
): Promise<TestDevice[]> {
  const made = Array.from({ length: count }, () => ({
    uuid: newUuid(),
    ...generateDeviceSecrets(app.services.keyring),
  }))
  await app.database.query(insertDevices, [
    workspace.uuid,
    workspace.template.uuid,
    made.map(({ uuid }) => uuid),
    made.map(({ mqttHash }) => mqttHash),
    made.map(({ httpHash }) => httpHash),
  ])
  return made.map(({ uuid, deviceHttpToken: token }) => {
    const call = (method: string, path: string, body?: unknown): Promise<CallResult> =>
      app.call(method, path, { as: as.device(token), ...(body !== undefined && { body }) })
    return {
      uuid,
      id: formatId('dev', uuid),
      token,
      call,
      bind: (claimCode) => call('POST', '/devices/auth/bind-claim', { claim_code: claimCode }),
    }
  })
}

export async function newDevice(
  app: TestApp,
  workspace?: { uuid: string; template: { uuid: string } },
): Promise<TestDevice> {
  return (await newDevices(app, 1, workspace))[0] as TestDevice
}

export interface OpenClaim {
  id: string
  uuid: string
  code: string
}

/** An open claim of the phone in the first workspace of the seed. */
export async function openClaim(
  app: TestApp,
  phone: Phone,
  options: Record<string, unknown> = {},
): Promise<OpenClaim> {
  const body = { workspace_id: app.seed.id, ...options }
  const claim = await phone.call('POST', '/moid/claims', body)
  assert.equal(claim.status, 201, claim.text)
  const { claim_id: id, claim_code: code } = claim.body
  return { id, uuid: parseId('clm', id) as string, code }
}

/** Runs the tasks with at most `width` of them at a time, and keeps their order. */
export async function inParallel<T>(tasks: (() => Promise<T>)[], width: number): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < tasks.length) {
      const at = next
      next += 1
      results[at] = await (tasks[at] as () => Promise<T>)()
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

/** How many responses there are of each status. */
export function statuses(responses: readonly CallResult[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const orphans = statement(
  'test.orphan_bindings',
  `SELECT d.id FROM devices d
   FULL JOIN claims c
     ON c.workspace_id = d.workspace_id AND c.device_id = d.id AND c.status = 'bound'
   WHERE (d.claimed_at IS NOT NULL) IS DISTINCT FROM (c.id IS NOT NULL)
     AND (c.id IS NULL OR c.status = 'bound')`,
)

/** Devices that are claimed by nobody's claim, and bound claims whose device isn't claimed. */
export const orphanBindings = async (app: TestApp): Promise<number> =>
  (await app.database.query(orphans)).length
