/**
 * The guarantees of every broker to its clients, embedded or not: the same checks on each. A check
 * that a broker can't pass is declared by name and with its reason, and listed on its page.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Version } from '../mqtt-clients.ts'
import { admissionChecks } from './admission.ts'
import { deliveryChecks } from './delivery.ts'
import { isolationChecks } from './isolation.ts'
import type { Checks, Exceptions, BrokerEnvironment } from './environment.ts'
import { revocationChecks } from './revocations.ts'
import { sessionChecks } from './sessions.ts'

export interface EveryBroker {
  name: string
  /** Why it can't be started here, or false. */
  skip: string | false
  versions: readonly Version[]
  start: () => Promise<BrokerEnvironment>
  exceptions: Exceptions
  /** The page that lists the exceptions, below docs/brokers/; none where there are none. */
  page?: string
}

/** For what hangs: a restart of RabbitMQ takes a while on a busy machine. */
const TIMEOUT_MS = 300_000

const ALL: Checks = {
  ...admissionChecks,
  ...deliveryChecks,
  ...isolationChecks,
  ...sessionChecks,
  ...revocationChecks,
}

export function everyBroker({ name, skip, versions, start, exceptions, page }: EveryBroker): void {
  describe(`${name}, as every broker,`, { skip }, () => {
    let place: BrokerEnvironment
    before(async () => (place = await start()))
    after(() => place?.stop())
    for (const version of versions) {
      for (const [check, run] of Object.entries(ALL)) {
        const reason = exceptions[check]
        const options = { skip: reason ?? false, timeout: TIMEOUT_MS }
        it(`${check} (v${version})`, options, (t) => run(t, place, version))
      }
    }
  })

  describe(`the exceptions of ${name}`, () => {
    it('are of checks that there are, and leave at least thirty', () => {
      const names = Object.keys(ALL)
      assert.deepEqual(
        Object.keys(exceptions).filter((check) => !names.includes(check)),
        [],
      )
      assert.ok(names.length - Object.keys(exceptions).length >= 30)
    })

    it('are listed in its page, each with its reason', () => {
      if (page === undefined) assert.deepEqual(exceptions, {})
      else {
        const text = readFileSync(
          new URL(`../../../../docs/brokers/${page}`, import.meta.url),
          'utf8',
        )
        const rows = text.split('\n')
        for (const [check, reason] of Object.entries(exceptions)) {
          assert.ok(rows.includes(`| ${check} | ${reason} |`), `| ${check} | ${reason} |`)
        }
      }
    })
  })
}
