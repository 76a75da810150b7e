/**
 * How long a revocation takes to reach another process: `npm run bench -- revoke`. Two processes
 * share a database. A key or device is used in the second one, so that it is cached there, and
 * revoked through the first one.
 *
 * The limit is one second, the promise of the change feed (docs/decisions/0002-change-feed.md).
 */
import {
  call,
  closeOf,
  connectDevice,
  type Delays,
  delaysOf,
  deviceAt,
  expect,
  openPair,
  type Pair,
  pollStatus,
  type Reply,
} from './support/delays.ts'
import type { Fixture } from './support/environment.ts'

async function revokeKey({ one, other, staff, workspace }: Pair): Promise<number> {
  const keys = `${workspace}/api-keys`
  const made = await expect(201, one, staff, 'POST', keys, { key_kind: 'provision' })
  const factory = { 'service-auth-code': made.key }
  const use = (): Promise<Reply> => call(other, factory, 'GET', '/provision/device-templates')
  if ((await use()).status !== 200) throw new Error('the key is refused before it is revoked')
  const begin = performance.now()
  await expect(204, one, staff, 'DELETE', `${keys}/${made.id}`)
  await pollStatus(200, 401, use)
  return performance.now() - begin
}

async function suspendDevice(pair: Pair, at: number): Promise<number> {
  const device = deviceAt(pair, at)
  const closed = closeOf(await connectDevice(pair, device))
  const begin = performance.now()
  await expect(200, pair.one, pair.staff, 'POST', `${pair.workspace}/devices/${device.id}/suspend`)
  await closed
  return performance.now() - begin
}

const COUNT = 300

export async function revoke(fixture: Fixture): Promise<Delays[]> {
  const pair = await openPair(fixture)
  return [
    await delaysOf('a revoked key is refused', COUNT, () => revokeKey(pair)),
    await delaysOf('the session of a suspended device ends', COUNT, (at) =>
      suspendDevice(pair, at),
    ),
  ]
}
