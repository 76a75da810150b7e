/** The audit log of the installation, which operators read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { INSTALLATION } from '../../../../src/platform/record/event.ts'
import { sql } from '../../../support/audit-chain.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { operatorOf } from '../../operator/operators.ts'

const get = useApp()

test('an operator reads the audit log of the installation, and verifies its chain', async () => {
  const app = get()
  const { ok } = await operatorOf(app)
  await ok('POST', '/accounts', { email: `${newUuid()}@example.com` })
  const listed = await ok('GET', '/audit-log?action=account.created')
  assert.ok(listed.body.items.length > 0)
  await until('it is in the chain', async () => {
    const { body } = await ok('GET', '/audit-log/verify')
    assert.equal(body.valid, true, body.reason)
    return body.unsealed === 0
  })
  const [{ id }] = listed.body.items
  const values = [parseId('aud', id), INSTALLATION]
  const text = `UPDATE audit_log SET action = 'account.enabled' WHERE id = $1 AND workspace_id = $2`
  await sql(app.database, text, values)
  const { body } = await ok('GET', '/audit-log/verify')
  assert.deepEqual([body.valid, body.reason], [false, 'entry_altered'])
})
