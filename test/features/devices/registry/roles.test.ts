/** The rights of a workspace's members over its devices and templates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, startApp } from '../../../support/app.ts'
import { seedUser } from '../../../support/seed.ts'

const RANKS = ['viewer', 'member', 'admin', 'owner'] as const

/** Method, path below the workspace, body, and the lowest role that may. */
const RIGHTS = [
  ['GET', '/devices', undefined, 'viewer'],
  ['GET', '/devices/D', undefined, 'viewer'],
  ['GET', '/devices/D/state', undefined, 'viewer'],
  ['GET', '/device-templates', undefined, 'viewer'],
  ['POST', '/devices', { device_key: 'N' }, 'member'],
  ['PATCH', '/devices/D', { name: 'x' }, 'member'],
  ['PUT', '/devices/D/state', { state: {} }, 'member'],
  ['POST', '/devices/D/suspend', {}, 'member'],
  ['POST', '/devices/D/resume', {}, 'member'],
  ['POST', '/devices/D/disconnect', {}, 'member'],
  ['POST', '/devices/D/credentials/reset', {}, 'member'],
  ['PATCH', '/device-templates/T', { name: 'x' }, 'member'],
  ['POST', '/devices/D/decommission', {}, 'admin'],
  ['DELETE', '/devices/D', undefined, 'admin'],
] as const

test('each role may do what the permissions say, and no more', async (t) => {
  const app = await startApp(t)
  const { call, seed } = app
  for (const role of RANKS) {
    const user = await seedUser(app, { [seed.uuid]: role })
    const { body: device } = await call('POST', `/workspaces/${seed.id}/devices`, {
      as: as.platformKey(seed.platformKey),
      body: { device_key: `d-${role}` },
    })
    for (const [method, path, body, lowest] of RIGHTS) {
      const below = path.replace('/D', `/${device.id}`).replace('/T', `/${seed.template.id}`)
      const { status, body: problem } = await call(method, `/workspaces/${seed.id}${below}`, {
        as: as.user(user.token),
        body: path === '/devices' && body ? { device_key: `n-${role}` } : body,
      })
      const received = `${role} ${method} ${path}: ${status}`
      if (RANKS.indexOf(role) < RANKS.indexOf(lowest)) {
        assert.equal(status, 403, received)
        assert.equal(problem.code, 'permission_denied')
      } else assert.ok(status < 300 || problem.code === 'state_not_found', received)
    }
  }
})
