/** One list of deciders decides each CONNECT and each later question, and failures are logged. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  type AuthorityServices,
  CredentialAuthority,
} from '../../../../src/features/mqtt/credentials/authority.ts'
import { readIdentity } from '../../../../src/features/mqtt/credentials/identity.ts'
import { registerDevice } from '../../../support/commands.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

async function deciding(t: TestContext, deciders: AuthorityServices['deciders']) {
  const app = await freshTenants(t)
  const { database: db, services } = app
  const warnings: unknown[] = []
  const authority = new CredentialAuthority({
    ...services,
    db,
    points: db.points,
    externalBrokers: () => [],
    deciders,
    limits: [],
    cachedCredentials: 100,
    warn: (_message, error) => warnings.push(error),
  })
  const { device_id: username, mqtt_password } = await registerDevice(app)
  const connect = (clientId = username) =>
    authority.connect({
      clientId,
      username,
      password: Buffer.from(mqtt_password),
      address: '10.0.0.1',
      protocolVersion: 4,
    })
  return { authority, username, connect, warnings }
}

test('a decider of the list is asked for a CONNECT and for all that may stay', async (t) => {
  let isClosed = false
  const refusal = { reason: 'not_authorized', detail: 'closed' } as const
  const { authority, username, connect } = await deciding(t, [
    ({ clientId = '' }) => (isClosed || clientId === 'shut' ? refusal : undefined),
  ])
  const decision = await connect()
  assert.ok(decision.accepted)
  const { grant } = decision
  const credential = await authority.load(readIdentity(username) ?? assert.fail())
  assert.ok(credential)
  assert.equal(authority.stillGives(grant), true)
  assert.deepEqual(await connect('shut'), { accepted: false, ...refusal })
  assert.deepEqual(await authority.authorize(username, 'shut'), { accepted: false, ...refusal })
  assert.deepEqual(authority.refusalOf({ clientId: 'shut', grant }, credential), refusal)
  isClosed = true
  assert.equal(authority.stillGives(grant), false)
})

test('why a CONNECT could not be decided is logged, and not for each of many', async (t) => {
  const fault = new Error('a defect')
  const { authority, username, connect, warnings } = await deciding(t, [
    () => Promise.reject(fault),
  ])
  const unavailable = { accepted: false, reason: 'unavailable' }
  assert.deepEqual(await connect(), unavailable)
  assert.deepEqual(await authority.authorize(username, username), unavailable)
  assert.deepEqual(warnings, [fault])
})
