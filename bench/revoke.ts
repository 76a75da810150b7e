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
  timeOfChange,
} from './support/delays.ts'
import type { Fixture } from './support/environment.ts'

async function revokeKey({ one, other, staff, workspace }: Pair): Promise<number> {
  const keys = `${workspace}/api-keys`
  const made = await expect(201, one, staff, 'POST', keys, { key_kind: 'provision' })
  const factory = { 'service-auth-code': made.key }
  return timeOfChange({
    ask: () => call(other, factory, 'GET', '/provision/device-templates'),
    before: 200,
    after: 401,
    change: () => expect(204, one, staff, 'DELETE', `${keys}/${made.id}`),
  })
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

export async function revoke(fixture: Fixture, only: string): Promise<Delays[]> {
  const pair = await openPair(fixture, only)
  return [
    await delaysOf(pair, 'a revoked key is refused', COUNT, () => revokeKey(pair)),
    await delaysOf(pair, 'the session of a suspended device ends', COUNT, (at) =>
      suspendDevice(pair, at),
    ),
  ]
}
