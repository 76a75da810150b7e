/** A revocation on an external broker: done by one process, tried until it is seen. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ListedTarget } from '../../../../src/features/mqtt/revocation/affected-sessions.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as } from '../../../support/app.ts'
import { newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import {
  bring,
  farBroker,
  joined,
  nodeOf,
  provision,
  refused,
  revoke,
  staff,
  suspension,
} from './test-broker.ts'

const freshTenants = useTenants()

describe('a revocation on an external broker', () => {
  test('a broker that is away keeps the receipt open until it is back', async (t) => {
    const app = await freshTenants(t)
    const device = await provision(app)
    const { target, state } = farBroker(`far-${newUuid()}`, [device, device])
    state.isAway = true
    const path = await revoke(app, target.name, suspension(app, device))
    const worker = bring(t, app, target)
    worker.wake()
    const away = await until('it says what is wrong', async () => {
      const node = await nodeOf(app, path, target.name)
      return node.problem !== null && node
    })
    assert.match(away.problem, /ECONNREFUSED/)
    assert.equal(away.cache_purged_at, null)
    assert.equal(away.verified_at, null)
    assert.equal(away.complete, false)
    state.isAway = false
    const back = await until('it is complete', async () => {
      worker.wake()
      const node = await nodeOf(app, path, target.name)
      return node.complete && node
    })
    assert.ok(back.denied_at && back.cache_purged_at && back.sessions_cut_at && back.verified_at)
    assert.equal(back.sessions_cut, 2)
    assert.deepEqual(state.disconnects, ['not_authorized'])
  })

  test('a session that stays is never taken for gone', async (t) => {
    const app = await freshTenants(t)
    const device = await provision(app)
    const { target, state } = farBroker(`far-${newUuid()}`, [device])
    state.staysOpen = true
    const path = await revoke(app, target.name, suspension(app, device))
    const worker = bring(t, app, target)
    worker.wake()
    const open = await until('the session is disconnected', async () => {
      const node = await nodeOf(app, path, target.name)
      return node.sessions_cut > 0 && node
    })
    assert.equal(open.verified_at, null)
    assert.match(open.problem, /still open/)
    state.live = []
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, path, target.name)).complete
    })
  })

  test('one process acts; a process that may be dead delays the verification, not the disconnection', async (t) => {
    const app = await freshTenants(t)
    const { pool } = app.database
    const device = await provision(app)
    const slow = newUuid()
    const insert = `INSERT INTO nodes (id, beat_at) VALUES ($1, now() + interval '10 minutes')`
    await pool.query(insert, [slow])
    t.after(() => pool.query('DELETE FROM nodes WHERE id = $1', [slow]))
    const { target, state } = farBroker(`far-${newUuid()}`, [device])
    const path = await revoke(app, target.name, suspension(app, device))
    const all = Array.from({ length: 5 }, () => bring(t, app, target))
    for (const worker of all) worker.wake()
    await refused(app, path)
    const early = await until('the session is disconnected', async () => {
      for (const worker of all) worker.wake()
      const node = await nodeOf(app, path, target.name)
      return node.sessions_cut > 0 && node
    })
    assert.equal(early.verified_at, null, 'the slow process may still admit the client')
    assert.deepEqual([early.denied_at, early.cache_purged_at], [null, null])
    state.live = [device]
    await pool.query('UPDATE mqtt_receipt_nodes SET denied_at = now() WHERE node = $1', [
      `embedded/${slow}`,
    ])
    await until('it is verified', async () => {
      for (const worker of all) worker.wake()
      return (await nodeOf(app, path, target.name)).verified_at !== null
    })
    assert.equal(state.disconnects.length, 2)
    assert.deepEqual(state.live, [])
  })

  test('a workspace that moves to other topics ends its sessions, and no others', async (t) => {
    const app = await freshTenants(t)
    const { call, seed, database } = app
    const made = await call('POST', `/workspaces/${seed.id}/mqtt/principals`, {
      as: staff(app),
      body: { name: 'Dashboard' },
    })
    const device = await provision(app)
    const { target, state } = farBroker(`far-${newUuid()}`, [made.body.id, device])
    await database.pool.query('DELETE FROM devices WHERE workspace_id = $1', [seed.uuid])
    const slug = `w-${seed.uuid.slice(-12)}`
    const moved = await call('PATCH', `/workspaces/${seed.id}`, { as: staff(app), body: { slug } })
    const path = await joined(app, target.name, moved)
    const worker = bring(t, app, target, { [made.body.id]: seed.id, [device]: seed.other.id })
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, path, target.name)).complete
    })
    assert.deepEqual(state.live, [device])
  })

  test('a phone loses the topics of a device that is suspended', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const device = await newDevice(app)
    await device.bind((await openClaim(app, phone)).code)
    const login = await phone.call('POST', '/moid/mqtt-credentials', { workspace_id: app.seed.id })
    const { mqtt_username: name } = login.body
    const { target, state } = farBroker(`far-${newUuid()}`, [name, 'mqm_another'])
    const path = await revoke(app, target.name, suspension(app, device.id))
    const worker = bring(t, app, target)
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, path, target.name)).complete
    })
    assert.deepEqual(state.live, ['mqm_another'])
  })

  test('other rules of a template end the sessions of those who lost, and of no others', async (t) => {
    const app = await freshTenants(t)
    const { seed, call } = app
    const template = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
    const [superseded, other] = [await provision(app), await provision(app)]
    const keyOf = async (id: string): Promise<string> => {
      const { body } = await call('GET', `/workspaces/${seed.id}/devices/${id}`, { as: staff(app) })
      return body.device_key
    }
    const allow = { action: 'publish', topic: '{slug}/{device_key}/x', permission: 'allow' }
    const one = await call('PATCH', template, { as: staff(app), body: { mqtt_acl: [allow] } })
    assert.equal(one.status, 200, one.text)
    const shape = { model_key: 'next', name: 'Next', serial_format: 'N-%#f' }
    const { body: next } = await call('POST', `/workspaces/${seed.id}/device-templates`, {
      as: staff(app),
      body: { ...shape, mqtt_acl: [{ ...allow, permission: 'deny' }] },
    })
    const deny = { ...allow, topic: `{slug}/${await keyOf(superseded)}/x`, permission: 'deny' }
    const body = { mqtt_acl: [deny, allow] }
    const { target, state } = farBroker(`far-${newUuid()}`, [superseded, other])
    const path = await joined(
      app,
      target.name,
      await call('PATCH', template, { as: staff(app), body }),
    )
    // A lost right stays lost, also if it gets another template before its disconnect.
    const device = `/workspaces/${seed.id}/devices/${superseded}`
    const moved = await call('PATCH', device, { as: staff(app), body: { template_id: next.id } })
    assert.equal(moved.status, 200, moved.text)
    await joined(app, target.name, moved)
    const worker = bring(t, app, target)
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, path, target.name)).complete && !state.live.includes(superseded)
    })
    assert.deepEqual(state.live, [other])
  })

  test('a session that is not in the list yet loses its rights as well', async (t) => {
    const app = await freshTenants(t)
    const { seed, call } = app
    const devices = [await provision(app), await provision(app)]
    const { target, state } = farBroker(`far-${newUuid()}`, devices)
    const [first] = devices
    let isNotified = false
    const slow: ListedTarget = {
      ...target,
      get listLagMs() {
        return isNotified ? 0 : 3_600_000
      },
      async connections() {
        const listed = (await target.connections?.()) ?? []
        return listed.filter(({ principalId }) => isNotified || principalId === first)
      },
    }
    const template = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
    const rule = { action: 'publish', topic: '{slug}/{device_key}/x', permission: 'allow' }
    const body = { mqtt_acl: [rule] }
    const response = await call('PATCH', template, { as: staff(app), body })
    const path = await joined(app, target.name, response)
    const worker = bring(t, app, slow)
    await until('it waits for the list', async () => {
      worker.wake()
      return /list/.test((await nodeOf(app, path, target.name)).problem ?? '')
    })
    isNotified = true
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, path, target.name)).complete
    })
    assert.deepEqual(state.live, [])
    assert.equal(state.disconnects.length, 2)
  })

  test('a broker that takes other rules receives them, and ends no session', async (t) => {
    const app = await freshTenants(t)
    const device = await provision(app)
    const { target, state } = farBroker(`far-${newUuid()}`, [device])
    const received: (string | undefined)[] = []
    const passwordStore: ListedTarget = {
      ...target,
      verify: async () => true,
      regrant: async (name) => void received.push(name),
    }
    const acls = `/workspaces/${app.seed.id}/devices/${device}/acls`
    const rule = { action: 'publish', topic: '{slug}/{device_key}/state', permission: 'deny' }
    const response = await app.call('POST', acls, { as: staff(app), body: rule })
    const path = await joined(app, target.name, response)
    await refused(app, path)
    const worker = bring(t, app, passwordStore)
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, path, target.name)).complete
    })
    assert.deepEqual(received, [device])
    assert.deepEqual(state.disconnects, [])
    const suspended = await revoke(app, target.name, suspension(app, device))
    await refused(app, suspended)
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, suspended, target.name)).complete
    })
    assert.deepEqual(state.disconnects, ['not_authorized'])
  })

  test('a job ends the sessions of the devices that it has changed, and of no others', async (t) => {
    const app = await freshTenants(t)
    const { call, seed, database } = app
    const [device, other] = [await provision(app), await provision(app)]
    const job = await call('POST', `/workspaces/${seed.id}/jobs`, {
      as: as.user(seed.owner.token),
      body: { action: 'reset_credentials', device_ids: [device] },
    })
    assert.ok(job.status < 300, job.text)
    const item = `FROM job_items WHERE workspace_id = $1 AND status = 'succeeded'`
    await until('it is done', async () => {
      const { rows } = await database.pool.query(`SELECT 1 ${item}`, [seed.uuid])
      return rows.length === 1
    })
    const id = newUuid()
    await database.pool.query(
      `INSERT INTO mqtt_receipts (workspace_id, id, reason, subject, requested_at)
       SELECT $1, $2, 'device.credentials_reset', $3, ended_at ${item}`,
      [seed.uuid, id, job.body.id],
    )
    const { target, state } = farBroker(`far-${newUuid()}`, [device, other])
    await database.pool.query(
      'INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node) VALUES ($1, $2, $3)',
      [seed.uuid, id, target.name],
    )
    const worker = bring(t, app, target)
    await until('it is verified', async () => {
      worker.wake()
      const path = `/workspaces/${seed.id}/mqtt/receipts/${formatId('rcp', id)}`
      return (await nodeOf(app, path, target.name)).verified_at !== null
    })
    assert.deepEqual(state.live, [other])
  })

  test('a receipt that ends many sessions is processed by one process only', async (t) => {
    const app = await freshTenants(t)
    const many = Array.from({ length: 60 }, () => formatId('dev', newUuid()))
    const { target, state } = farBroker(`far-${newUuid()}`, many)
    const row = 'mqtt_receipt_nodes WHERE node = $1'
    let isHeld: boolean | undefined
    const slow: ListedTarget = {
      ...target,
      async disconnect(principalId, reason) {
        const { pool } = app.database
        if (state.disconnects.length === 0) {
          await pool.query(`UPDATE ${row.replace('WHERE', 'SET next_at = now() WHERE')}`, [
            target.name,
          ])
        } else if (state.disconnects.length === 55) {
          const { rows } = await pool.query(`SELECT next_at > now() AS held FROM ${row}`, [
            target.name,
          ])
          isHeld = rows[0].held
        }
        return target.disconnect(principalId, reason)
      },
    }
    const path = await revoke(app, target.name, `/workspaces/${app.seed.id}/mqtt/receipts`)
    const worker = bring(t, app, slow)
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, path, target.name)).complete
    })
    assert.equal(isHeld, true)
    assert.equal(state.disconnects.length, 60)
  })

  test('a requested receipt ends every session without access, and no other', async (t) => {
    const app = await freshTenants(t)
    const [device, suspended] = [await provision(app), await provision(app)]
    await app.call('POST', suspension(app, suspended), { as: staff(app), body: {} })
    const { target, state } = farBroker(`far-${newUuid()}`, [device, suspended, 'a-foreign-user'])
    const asking = `/workspaces/${app.seed.id}/mqtt/receipts`
    const path = await revoke(app, target.name, asking)
    const worker = bring(t, app, target)
    await until('it is complete', async () => {
      worker.wake()
      return (await nodeOf(app, path, target.name)).complete
    })
    assert.deepEqual(state.live, [device, 'a-foreign-user'])
  })
})
