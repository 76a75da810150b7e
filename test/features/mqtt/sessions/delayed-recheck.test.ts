/** A session that an external broker begins with what has just ended is ended as well. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Grant } from '../../../../src/adapters/broker/port.ts'
import type { ChangeFeed } from '../../../../src/platform/database/change-feed.ts'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { CredentialAuthority } from '../../../../src/features/mqtt/credentials/authority.ts'
import {
  decideByAge,
  decideByClientId,
  decideByStatus,
} from '../../../../src/features/mqtt/credentials/deciders.ts'
import { DelayedRecheck } from '../../../../src/features/mqtt/sessions/delayed-recheck.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as } from '../../../support/app.ts'
import { registerDevice } from '../../../support/commands.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const deciding = {
  deciders: [decideByClientId, decideByStatus(systemClock), decideByAge],
  limits: [],
  warn: (message: string, error: unknown) => assert.fail(`${message}: ${String(error)}`),
}

const sessionOf = (grant: Grant) => ({
  session: {
    sessionId: newUuid(),
    incarnation: 1,
    grant,
    clientId: grant.principalId,
    address: '10.0.0.1',
    protocolVersion: 4,
    connectedAt: 0,
  },
})

describe('a client that an external broker accepted just before a change', () => {
  test('is ended for rights lost since then, and for nothing else', async (t) => {
    const app = await freshTenants(t)
    const { database: db, services, call, seed } = app
    const { points } = db
    const externalBrokers = () => ['far']
    const authority = new CredentialAuthority({
      ...services,
      db,
      points,
      externalBrokers,
      ...deciding,
      cachedCredentials: 100,
    })
    const recheck = new DelayedRecheck({ ...services, db, authority, externalBrokers }, 0)
    const letIn = async (broker = 'far'): Promise<string> => {
      const { device_id: username, mqtt_password } = await registerDevice(app)
      const decision = await authority.connect({
        clientId: username,
        username,
        password: Buffer.from(mqtt_password),
        address: '10.0.0.1',
        protocolVersion: 4,
      })
      assert.ok(decision.accepted)
      recheck.admitted(sessionOf(decision.grant), broker)
      return username
    }
    const change = async (id: string, what: string, body: object = {}): Promise<void> => {
      const path = `/workspaces/${seed.id}/devices/${id}/${what}`
      const response = await call('POST', path, { as: as.platformKey(seed.platformKey), body })
      assert.ok(response.status < 300, response.text)
    }
    const [, denied, more, suspended, reset, other] = [
      await letIn(),
      await letIn(),
      await letIn(),
      await letIn(),
      await letIn(),
      await letIn('without administration'),
    ]
    const rule = { action: 'publish', topic: '{slug}/{device_key}/state' }
    await change(denied, 'acls', { ...rule, permission: 'deny' })
    await change(more, 'acls', { ...rule, topic: '{slug}/{device_key}/log', permission: 'allow' })
    await change(suspended, 'suspend')
    await change(reset, 'credentials/reset')
    await change(other, 'suspend')
    await recheck.check()
    await recheck.check()
    const { rows } = await db.pool.query(
      `SELECT subject, narrowed FROM mqtt_receipts r
       JOIN mqtt_receipt_nodes n ON n.receipt_id = r.id AND n.node = 'far'
       WHERE r.workspace_id = $1 AND r.reason = 'admitted_late' ORDER BY r.id`,
      [seed.uuid],
    )
    assert.deepEqual(rows, [
      { subject: denied, narrowed: {} },
      { subject: suspended, narrowed: null },
      { subject: reset, narrowed: null },
    ])
  })

  test('is checked while the change feed is silent, since no change would be received', async (t) => {
    const app = await freshTenants(t)
    const { database: db, services, seed } = app
    const feed = new Proxy(services.feed, {
      get(target, name) {
        if (name === 'isFresh') return () => false
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    const silent = { ...services, db, feed, externalBrokers: () => ['far'] }
    const authority = new CredentialAuthority({
      ...silent,
      points: db.points,
      ...deciding,
      cachedCredentials: 100,
    })
    const recheck = new DelayedRecheck({ ...silent, authority }, 0)
    const { device_id: username, mqtt_password } = await registerDevice(app)
    const decision = await authority.connect({
      clientId: username,
      username,
      password: Buffer.from(mqtt_password),
      address: '10.0.0.1',
      protocolVersion: 4,
    })
    assert.ok(decision.accepted)
    recheck.admitted(sessionOf(decision.grant), 'far')
    // As another process would, whose word does not come through.
    await db.pool.query(
      `UPDATE devices SET status = 'suspended' WHERE workspace_id = $1 AND id = $2`,
      [seed.uuid, parseId('dev', username)],
    )
    await recheck.check()
    const { rows } = await db.pool.query(
      `SELECT subject FROM mqtt_receipts WHERE workspace_id = $1 AND reason = 'admitted_late'`,
      [seed.uuid],
    )
    assert.deepEqual(rows, [{ subject: username }])
  })

  test('is kept while the database is away, however many there are', async () => {
    let checks = 0
    let isAway = true
    const recheck = new DelayedRecheck(
      {
        db: {} as Db,
        feed: { isFresh: () => !isAway } as ChangeFeed,
        externalBrokers: () => ['far'],
        authority: {
          isUnchanged: () => (checks += 1) > 0,
          load: () => Promise.reject(new Error('The database is away.')),
          refusalOf: () => undefined,
        },
      },
      0,
    )
    const grant: Grant = {
      principalId: formatId('dev', newUuid()),
      workspaceId: formatId('ws', newUuid()),
      credentialVersion: 1,
      topicPrefix: 'x/x',
      isFirst: false,
      expiresAt: null,
      rules: [],
    }
    const count = 200_000
    for (let at = 0; at < count; at += 1) recheck.admitted(sessionOf(grant), 'far')
    await assert.rejects(recheck.check(), /database is away/)
    isAway = false
    await recheck.check()
    assert.equal(checks, count)
  })
})
