/**
 * What every broker adapter guarantees, whatever stands behind it. An adapter's test calls
 * `brokerContract` with a way to start one.
 */
import { after, before, describe } from 'node:test'
import type { Bench, StartBroker } from './broker-fixture.ts'
import { admissionContract } from './contract-admission.ts'
import { deliveryContract } from './contract-delivery.ts'
import { isolationContract } from './contract-isolation.ts'
import { malformedContract } from './contract-malformed.ts'
import { rightsContract } from './contract-rights.ts'
import { sessionContract } from './contract-sessions.ts'
import { TestAuthority } from './test-authority.ts'

export function brokerContract(name: string, start: StartBroker): void {
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
