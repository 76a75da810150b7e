/** The part of the broker contract about ending some sessions of a principal and not the others. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Bench } from './broker-fixture.ts'
import { eventually } from './eventually.ts'
import { connected, durable, gets, publish, subscribe, VERSIONS } from './mqtt-clients.ts'

export function partialDisconnectContract(bench: Bench): void {
  for (const version of VERSIONS) {
    it(`is disconnected by the service without the others of its principal (v${version})`, async (t) => {
      const { authority, port, broker } = bench
      const credential = authority.add('ws_some')
      const { principalId } = credential.grant
      const topic = `ws_some/${version}`
      const clientIds = ['', ':kept', ':away'].map((suffix) => credential.clientId + suffix)
      const open = (clientId: string) =>
        connected(t, port, credential, { ...durable(version), clientId })
      const [lost, kept, away] = await Promise.all(clientIds.map(open))
      for (const each of [lost, kept, away]) await subscribe(each!, topic, 1)
      await away!.client.endAsync()
      await authority.closed(credential)
      await publish(kept!, 'ws_some/kept', { qos: 1, retain: true }, 'kept')
      const ids = broker.connections(principalId).flatMap(({ clientId, sessionId }) => {
        return clientId === clientIds[0] ? [sessionId] : []
      })
      assert.equal(await broker.disconnect(principalId, 'not_authorized', ids), 1)
      await eventually(() => lost!.closed, 'the end of the one')
      assert.equal(lost!.disconnectCode, version === 5 ? 0x87 : undefined)
      await broker.publish({ topic, payload: Buffer.from('x'), qos: 1, retain: false })
      await gets(kept!, `${topic}=x`)
      await gets(await open(clientIds[2]!), `${topic}=x`)
      const back = await open(clientIds[0]!)
      await subscribe(back, ['ws_some/kept', `${topic}/end`], 1)
      await publish(back, `${topic}/end`, { qos: 1 }, 'end')
      await Promise.all([gets(back, 'ws_some/kept=kept'), gets(back, `${topic}/end=end`)])
      assert.equal(
        back.messages.includes(`${topic}=x`),
        false,
        'the queue of the session is deleted',
      )
      assert.equal(await broker.disconnect(principalId, 'administrative', ids), 0)
      assert.equal(kept!.closed, false)
    })
  }
}
