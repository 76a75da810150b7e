/** An operator of a service, and what tests ask as one. */
import assert from 'node:assert/strict'
import { INSTALLATION } from '../../../src/platform/record/event.ts'
import { as, type CallResult, type Headers, type TestApp } from '../../support/app.ts'
import { sql } from '../../support/audit-chain.ts'
import { seedOperator, type SeededUser } from '../../support/seed.ts'

export const BASE = '/console/api/installation'

export interface Operator {
  user: SeededUser
  caller: Headers
  /** @param path below `BASE` */
  call: (method: string, path: string, body?: object) => Promise<CallResult>
  /** The same, and it must succeed. */
  ok: (method: string, path: string, body?: object) => Promise<CallResult>
  /** Whether a request of this operator has written just these entries of the installation. */
  assertRecorded: (response: CallResult, ...actions: string[]) => Promise<void>
}

export async function operatorOf(app: TestApp): Promise<Operator> {
  const user = await seedOperator(app.app)
  const caller = as.user(user.token)
  const call = (method: string, path: string, body?: object): Promise<CallResult> =>
    app.call(method, `${BASE}${path}`, { as: caller, ...(body && { body }) })
  return {
    user,
    caller,
    call,
    async ok(method, path, body) {
      const response = await call(method, path, body)
      assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`)
      return response
    },
    async assertRecorded({ headers }, ...actions) {
      const entries = await sql<{ action: string; actor_id: string }>(
        app.database,
        `SELECT action, actor_id FROM audit_log
         WHERE workspace_id = $1 AND request_id = $2 ORDER BY id`,
        [INSTALLATION, headers['x-request-id']],
      )
      assert.deepEqual(
        entries.map(({ action }) => action),
        actions,
      )
      assert.ok(entries.every(({ actor_id }) => actor_id === user.id))
    },
  }
}
