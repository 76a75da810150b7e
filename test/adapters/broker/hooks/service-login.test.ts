/** The login of the service itself, at brokers that ask the hooks about it like about anybody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrokerEntry } from '../../../../src/adapters/broker/broker-entry.ts'
import { BRIDGED_FILTERS } from '../../../../src/features/mqtt/bridges/bridged-devices.ts'
import { askAs, brokerNamed, newSecret } from './ask-hooks.ts'
import { contracts } from './contracts.ts'
import { letting, listen } from './listen-hooks.ts'

const mqtt = { url: 'mqtt://127.0.0.1:1883', username: 'mooring', password: newSecret() }

for (const contract of contracts) {
  const { kind } = contract

  test(`${kind} accepts the service by its password alone, for the topics that it reads`, async (t) => {
    const refused: (string | undefined)[] = []
    const authority = {
      ...letting([]),
      refused: ({ username }: { username: string | undefined }) => void refused.push(username),
    }
    const { origin, change } = await listen(t, { authority })
    const entry = { ...brokerNamed(kind), mqtt } as BrokerEntry
    change([entry])
    const ask = askAs(origin, kind)
    const { username, password } = mqtt
    const service = { username, password, clientId: 'mooring-of-all' }
    for (const wrong of ['', `${password}x`, password.slice(1)]) {
      assert.equal(await contract.connect(ask, { ...service, password: wrong }), false)
    }
    assert.deepEqual(new Set(refused), new Set([username]), 'members see the attempt')
    assert.equal(await contract.connect(ask, service), true)
    for (const filter of BRIDGED_FILTERS) {
      assert.equal(await contract.subscribe(ask, service, filter), true, filter)
    }
    for (const filter of ['#', '+/+/telemetry', '$SYS/#', '+/+/cmd/#']) {
      assert.equal(await contract.subscribe(ask, service, filter), false, filter)
    }
    assert.equal(await contract.publish(ask, service, 'acme/pump/cmd'), true)
    assert.equal(await contract.publish(ask, service, '$SYS/broker/x'), false)
    change([brokerNamed(kind)])
    assert.equal(await contract.connect(ask, service), false, 'the login of the service is refused')
  })
}
