/**
 * The second wall: connections of requests work under a role that owns nothing, and for which the
 * policies of all tables pass only the rows of one workspace. Which one is set here and nowhere
 * else: before each statement on the connection that needs another one than the statement before.
 * See docs/decisions/0032-row-level-security.md.
 */
import pg from 'pg'
import type { Manner } from './pooled.ts'
import { run, translate } from './query.ts'
import { runScoped, runSettled, type Setting } from './scoped-query.ts'

/** The workspace of a scope in which nobody's rows are seen. */
export const NOWHERE = ''

/** The setting that the policies of the migrations read. */
const SETTING = 'mooring.workspace'
const UUID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/

const workspaceSetting = {
  name: 'mooring.within',
  text: `SELECT set_config('${SETTING}', $1, false)`,
}
const roleAndWorkspaceText = `SELECT set_config('role', $1, true), set_config('${SETTING}', $2, true)`

/** Connections whose role lasts. Behind a pooler it would stay with a session of somebody else. */
const lasting = new WeakSet<object>()

/**
 * Makes a new connection ready for requests.
 * @param mayLast false where it is known that sessions are handed around.
 */
export async function enterRole(
  client: pg.ClientBase,
  role: string,
  mayLast: boolean,
): Promise<void> {
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // A pooler gives its clients numbers of its own, as it can't know which server they will get.
    const { processID } = client as { processID?: number }
    if (!mayLast || rows[0]?.pid !== processID) return
    await client.query(`SET ROLE ${pg.escapeIdentifier(role)}`)
    await client.query({ ...workspaceSetting, values: [NOWHERE] })
    lasting.add(client)
  } catch (error) {
    throw translate(error)
  }
}

/** How connections of the role serve one workspace. */
export function scopedTo(workspaceId: string, role: string, prepared: boolean): Manner {
  // It stands in the text of a statement, where nothing else may ever get to.
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
