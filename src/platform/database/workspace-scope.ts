/**
 * Tenant isolation by row-level security: requests use a role that owns nothing and for which
 * row-level security only shows one workspace. The workspace is set here and nowhere else, before
 * each statement whose connection was set to another one. See
 * docs/decisions/0032-row-level-security.md.
 */
import pg from 'pg'
import type { QueryMode } from './pooled.ts'
import { run, translate } from './query.ts'
import { runScoped, runSettled, type Setting } from './scoped-query.ts'

/** The workspace id of a scope that sees no rows. */
export const NO_WORKSPACE = ''

/** The setting that the policies in the migrations read. */
const SETTING = 'mooring.workspace'
const UUID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/

const workspaceSetting = {
  name: 'mooring.within',
  text: `SELECT set_config('${SETTING}', $1, false)`,
}
const roleAndWorkspaceText = `SELECT set_config('role', $1, true), set_config('${SETTING}', $2, true)`

/** Connections whose role persists. Behind a pooler it would leak to other sessions. */
const lasting = new WeakSet<object>()

/**
 * Prepares a new connection for requests.
 * @param mayLast false if a pooler is known to share sessions
 */
export async function enterRole(
  client: pg.ClientBase,
  role: string,
  mayLast: boolean,
): Promise<void> {
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // A pooler assigns its own process ids, since it does not know which server a client will get.
    const { processID } = client as { processID?: number }
    if (!mayLast || rows[0]?.pid !== processID) return
    await client.query(`SET ROLE ${pg.escapeIdentifier(role)}`)
    await client.query({ ...workspaceSetting, values: [NO_WORKSPACE] })
    lasting.add(client)
  } catch (error) {
    throw translate(error)
  }
}

/** How connections of the role serve one workspace. */
export function scopedTo(workspaceId: string, role: string, prepared: boolean): QueryMode {
  // It becomes part of a statement's text, so nothing but a UUID may get there.
  if (!UUID.test(workspaceId)) throw new Error('the id of a workspace is not a UUID')
  const setting: Setting = { ...workspaceSetting, values: [workspaceId] }
  const both: Setting = { name: '', text: roleAndWorkspaceText, values: [role, workspaceId] }
  const setText = `SET LOCAL ${SETTING} = '${workspaceId}'`
  const setRoleText = `SET LOCAL ROLE ${pg.escapeIdentifier(role)}`
  return {
    single(client, { name, text }, values = []) {
      if (!lasting.has(client)) return runScoped(client, { name: undefined, text }, values, both)
      const statement = { name: prepared ? name : undefined, text }
      return runSettled(client, statement, values, setting, workspaceId)
    },
    begin: (client) =>
      client.query(`BEGIN; ${lasting.has(client) ? setText : `${setRoleText}; ${setText}`}`),
    within: (client, statement, values) =>
      run(client, prepared && lasting.has(client), statement, values),
  }
}
