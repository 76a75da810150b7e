/** An examination finds each hole of a broker that was set up badly, and none in a good one. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { examine } from '../../../src/commands/doctor/probes/examination.ts'
import { probes } from '../../../src/commands/doctor/examine-broker.ts'
import { type Hole, startCareless } from './careless-broker.ts'

/** The probes that each hole must be seen by. */
const seenBy: Record<Hole, readonly string[]> = {
  anonymous: ['anonymous'],
  any_password: ['wrong_password'],
  any_client_id: ['client_id'],
  hook_fails_open: ['hook_failure'],
  asks_no_hook: ['hook_failure'],
  reads_everything: ['foreign_topics', 'wildcards'],
  reads_own_workspace: ['wildcards'],
  reads_system_topics: ['system_topics'],
  publishes_everything: ['foreign_publish', 'foreign_will'],
  unchecked_will: ['foreign_will'],
  keeps_revoked_sessions: ['revoke'],
  remembers_revoked_logins: ['revoke'],
  is_another_broker: ['identity'],
  dead_bridge: ['bridge'],
}

suite('an examination', { concurrency: true }, () => {
  test('finds nothing in a broker that does everything right', async (t) => {
    const results = await examine(await startCareless(t), probes, () => {})
    const left = results.filter(({ verdict }) => verdict !== 'pass')
    assert.deepEqual(
      left.map(({ id, verdict }) => `${id} ${verdict}`),
      ['tls_certificate skip', 'tls_versions skip'],
    )
  })

  for (const [hole, ids] of Object.entries(seenBy)) {
    test(`finds the hole ${hole}, and says what to change`, async (t) => {
      const results = await examine(await startCareless(t, hole as Hole), probes, () => {})
      const failed = results.filter(({ verdict }) => verdict === 'fail')
      assert.deepEqual(
        failed.map(({ id }) => id),
        ids,
        JSON.stringify(results, null, 2),
      )
      for (const { change, saw } of failed) assert.ok(change !== undefined && saw !== '')
    })
  }
})
