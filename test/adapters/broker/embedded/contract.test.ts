/** The embedded broker keeps the contract of all brokers, quietly. */
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { EmbeddedBroker } from '../../../../src/adapters/broker/embedded/broker.ts'
import type { Bench, StartBroker } from '../broker-fixture.ts'
import { admissionContract } from '../contract-admission.ts'
import { deliveryContract } from '../contract-delivery.ts'
import { isolationContract } from '../contract-isolation.ts'
import { malformedContract } from '../contract-malformed.ts'
import { rightsContract } from '../contract-rights.ts'
import { sessionContract } from '../contract-sessions.ts'
import { TestAuthority } from '../test-authority.ts'

function brokerContract(name: string, start: StartBroker): void {
  const bench = { authority: new TestAuthority() } as Bench
  describe(`the ${name} broker`, () => {
    before(async () => {
      Object.assign(bench, await start(bench.authority))
    })
    after(() => bench.broker.stop())
    admissionContract(bench)
    deliveryContract(bench)
    isolationContract(bench)
    rightsContract(bench)
    sessionContract(bench)
    malformedContract(bench)
  })
}

const logged = new Set<string>()
const write = (_: object, message: string): void => void logged.add(message)

brokerContract('embedded', async (authority) => {
  const log = { warn: write, error: write }
  const broker = new EmbeddedBroker({ host: '127.0.0.1', ports: { tcp: 0 }, log })
  await broker.start(authority)
  return { broker, port: broker.port }
})

after(() => {
  assert.deepEqual([...logged], ['A CONNECT could not be decided.', 'A grant is malformed.'])
})
