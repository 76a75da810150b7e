/** Creates own topic rules of devices and principals. */
import assert from 'node:assert/strict'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import { as, type CallResult, type Headers, type TestApp } from './app.ts'

/** `allow publish {slug}/x`, as a rule. */
export function ruleOf(text: string): { permission: string; action: string; topic: string } {
  const [permission = '', action = '', topic = ''] = text.split(' ')
  return { permission, action, topic }
}

/** A principal without a secret. @returns its id as callers see it. */
export async function seedPrincipal({ database, seed }: TestApp): Promise<string> {
  const id = newUuid()
  await database.pool.query(
    `INSERT INTO mqtt_principals (workspace_id, id, name, created_by)
     VALUES ($1, $2, $3, 'seed')`,
    [seed.uuid, id, id.slice(-12)],
  )
  return formatId('mqp', id)
}

export type CallAcls = (
  method: string,
  below?: string,
  body?: object,
  headers?: Headers,
) => Promise<CallResult>

/** Calls the rules of a device (`dev_…`) or a principal (`mqp_…`). */
export function aclsOf(app: TestApp, owner: string, who?: Headers): CallAcls {
  const folder = owner.startsWith('dev_') ? 'devices' : 'mqtt/principals'
  const path = `/workspaces/${app.seed.id}/${folder}/${owner}/acls`
  const caller = who ?? as.platformKey(app.seed.platformKey)
  return (method, below = '', body, headers = {}) =>
    app.call(method, `${path}${below}`, { as: caller, headers, ...(body && { body }) })
}

/** Adds rules, each behind the one before. @returns what was answered. */
export async function addRules(call: CallAcls, ...texts: string[]): Promise<CallResult['body'][]> {
  const added: CallResult['body'][] = []
  for (const text of texts) {
    const response = await call('POST', '', ruleOf(text))
    assert.equal(response.status, 201, response.text)
    added.push(response.body)
  }
  return added
}
