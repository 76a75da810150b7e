/** The part of the broker contract about CONNECT: accepted clients, and the codes of others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConnectDecision, Refusal } from '../../../src/adapters/broker/port.ts'
import type { Bench } from './broker-fixture.ts'
import { connected, refusal, VERSIONS } from './mqtt-clients.ts'
import { connectPacket, RawClient } from './raw-client.ts'
import { allow } from './test-authority.ts'

const CODES: Readonly<Record<Refusal, { 4: number; 5: number }>> = {
  bad_credentials: { 4: 4, 5: 0x86 },
  client_id_invalid: { 4: 2, 5: 0x85 },
  not_authorized: { 4: 5, 5: 0x87 },
  banned: { 4: 5, 5: 0x8a },
  quota_exceeded: { 4: 3, 5: 0x97 },
  busy: { 4: 3, 5: 0x89 },
  unavailable: { 4: 3, 5: 0x88 },
}

export function admissionContract(bench: Bench): void {
  describe('a broker, at CONNECT,', () => {
    for (const version of VERSIONS) {
      it(`asks with all that the client sends, and reports the session (v${version})`, async (t) => {
        const { authority, port, broker } = bench
        const credential = authority.add('ws_admission')
        const before = Date.now()
        const { client } = await connected(t, port, credential, { protocolVersion: version })
        const request = authority.requests.findLast(
          ({ username }) => username === credential.username,
        )
        assert.deepEqual(request, {
          clientId: credential.clientId,
          username: credential.username,
          password: Buffer.from(credential.password),
          address: '127.0.0.1',
          protocolVersion: version,
          transport: 'tcp',
          hosts: undefined,
        })
        await client.endAsync()
        await authority.closed(credential)
        const events = authority.eventsOf(credential)
        assert.deepEqual(
          events.map(({ kind }) => kind),
          ['opened', 'closed'],
        )
        const session = events[0]?.session
        assert.equal(session, events[1]?.session)
        assert.equal(session?.clientId, credential.clientId)
        assert.equal(session?.grant, credential.grant)
        assert.equal(session?.address, '127.0.0.1')
        assert.equal(session?.protocolVersion, version)
        assert.ok(session.connectedAt >= before && session.connectedAt <= Date.now())
        assert.deepEqual(broker.connections(credential.grant.principalId), [])
      })

      for (const [reason, codes] of Object.entries(CODES)) {
        it(`answers ${reason} with its code and closes (v${version})`, async (t) => {
          const { authority, port } = bench
          const credential = authority.add('ws_admission')
          authority.override = async () => ({ accepted: false, reason: reason as Refusal })
          t.after(() => (authority.override = undefined))
          const code = await refusal(t, port, credential, { protocolVersion: version })
          assert.equal(code, codes[version])
          assert.deepEqual(authority.eventsOf(credential), [])
          const { clientId, username } = credential
          assert.deepEqual(authority.refusals.at(-1), { clientId, username, reason })
        })
      }

      it(`refuses wrong passwords, foreign client ids, unknown users (v${version})`, async (t) => {
        const { authority, port } = bench
        const credential = authority.add('ws_admission')
        const protocolVersion = version
        const refused = (change: object) =>
          refusal(t, port, credential, { protocolVersion, ...change })
        assert.equal(await refused({ password: 'wrong' }), CODES.bad_credentials[version])
        assert.equal(await refused({ username: 'unknown' }), CODES.bad_credentials[version])
        assert.equal(await refused({ clientId: 'other' }), CODES.client_id_invalid[version])
      })

      it(`fails closed when the authority throws or errs (v${version})`, async (t) => {
        const { authority, port } = bench
        const credential = authority.add('ws_admission')
        t.after(() => (authority.override = undefined))
        const { grant } = credential
        const grants = [
          { ...grant, rules: [allow('a/#/b')] },
          { ...grant, principalId: 'a/b' },
          { ...grant, workspaceId: '' },
        ]
        const responses: (() => Promise<ConnectDecision>)[] = [
          () => Promise.reject(new Error('The database is away.')),
          () => {
            throw new Error('A mistake.')
          },
          ...grants.map((grant) => async () => ({ accepted: true as const, grant })),
        ]
        for (const response of responses) {
          authority.override = response
          const code = await refusal(t, port, credential, { protocolVersion: version })
          assert.equal(code, CODES.unavailable[version])
        }
        assert.deepEqual(authority.eventsOf(credential), [])
      })
    }

    it('refuses clients without a user name even if the authority accepts all', async (t) => {
      const { authority, port } = bench
      const { clientId, username, password, grant } = authority.add('ws_admission')
      authority.override = async () => ({ accepted: true, grant })
      t.after(() => (authority.override = undefined))
      const nameless = [
        { clientId: '', username, password },
        { clientId: '', username, password, clean: false },
        { clientId, username: '', password },
        { clientId, username, password: '' },
        { clientId, username },
        { clientId },
      ]
      for (const version of [3, 4, 5]) {
        for (const options of nameless) {
          const raw = new RawClient(t, port)
          raw.send(connectPacket({ version, ...options }))
          await raw.isClosed()
          assert.notEqual(raw.received[3] ?? 1, 0, `v${version} ${JSON.stringify(options)}`)
        }
      }
      assert.deepEqual(broker(bench), [])
    })

    it('numbers the connections of a principal upwards and never reuses a number', async (t) => {
      const { authority, port } = bench
      const credential = authority.add('ws_admission')
      for (let round = 0; round < 20; round += 1) {
        const { client } = await connected(t, port, credential, { protocolVersion: 4 })
        await client.endAsync()
      }
      await authority.closed(credential, 20)
      const sessions = authority
        .eventsOf(credential)
        .filter(({ kind }) => kind === 'opened')
        .map(({ session }) => session)
      const numbers = sessions.map(({ incarnation }) => incarnation)
      assert.equal(new Set(sessions.map(({ sessionId }) => sessionId)).size, 20)
      assert.ok(numbers.every((number, index) => number > (numbers[index - 1] ?? 0)))
      assert.ok((numbers[0] ?? 0) >= (sessions[0]?.connectedAt ?? Infinity) * 1000 - 5_000_000)
    })
  })
}

function broker({ broker, authority }: Bench): unknown[] {
  const nameless = [...authority.credentials.keys()].filter((name) => name.includes('ws_admission'))
  return nameless.flatMap((principalId) => broker.connections(principalId))
}
