/**
 * The second wall: connections of requests work under a role that owns nothing, and for which the
 * policies of all tables pass only the rows of one workspace. Which one is a setting of the
 * connection, made here and nowhere else; see docs/decisions/0032-row-level-security.md.
 *
 * The setting stays with the connection until another workspace needs it, and is sent along with
 * the statement, so it costs no round trip. It is never made inside of a transaction, whose end
 * could take it back. Behind a pooler that hands sessions around nothing stays: there, role and
 * workspace are set within each transaction.
 */
import pg from 'pg'
import type { Manner } from './pooled.ts'
import { run, type Statement, translate } from './query.ts'

/** The workspace of a scope in which nobody's rows are seen. */
export const NOWHERE = ''

/** The setting that the policies of the migrations read. */
const SETTING = 'mooring.workspace'
const UUID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/

interface Session {
  /** Whether what is set lasts as long as the connection. */
  isOwn: boolean
  /** What was sent last; undefined when that is not sure. */
  workspaceId: string | undefined
  /** Under way; every statement that builds on it waits for it too. */
  setting: Promise<unknown> | undefined
}

const sessions = new WeakMap<object, Session>()

function sessionOf(client: pg.ClientBase): Session {
  const session = sessions.get(client)
  if (session === undefined) throw new Error('a connection without the role of requests')
  return session
}

const roleText = (role: string): string => pg.escapeIdentifier(role)

/**
 * Puts a new connection under the role.
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
    const isOwn = mayLast && rows[0]?.pid === processID
    if (isOwn) await client.query(`SET ROLE ${roleText(role)}`)
    sessions.set(client, { isOwn, workspaceId: undefined, setting: undefined })
  } catch (error) {
    throw translate(error)
  }
}

/** Sends the setting if the connection has another one. @returns what to wait for, if anything. */
function demandSetting(
  client: pg.ClientBase,
  session: Session,
  workspaceId: string,
): Promise<unknown> | undefined {
  if (session.workspaceId === workspaceId) return session.setting
  session.workspaceId = workspaceId
  const setting = client.query(`SET ${SETTING} = '${workspaceId}'`).then(
    () => {
      if (session.setting === setting) session.setting = undefined
    },
    (error: unknown) => {
      if (session.setting === setting) forget(client)
      throw translate(error)
    },
  )
  session.setting = setting
  // Whoever waits hears of a failure; it must not count as unheard before they do.
  setting.catch(() => {})
  return setting
}

function forget(client: pg.ClientBase): void {
  const session = sessionOf(client)
  session.workspaceId = undefined
  session.setting = undefined
}

/** Waits for all, so that nothing of them is under way when the connection is given back. */
async function together<T>(last: Promise<T>, ...others: Promise<unknown>[]): Promise<T> {
  const results = await Promise.allSettled([...others, last])
  for (const result of results) if (result.status === 'rejected') throw translate(result.reason)
  return last
}

/**
 * How connections of the role serve one workspace. They must be pipelined: what is sent together
 * arrives in one packet, and is answered in order.
 */
export function scopedTo(workspaceId: string, role: string, prepared: boolean): Manner {
  // It stands in the text of a statement, where nothing else may ever get to.
  if (!UUID.test(workspaceId)) throw new Error('the id of a workspace is not a UUID')
  const openText = `BEGIN; SET LOCAL ROLE ${roleText(role)}; SET LOCAL ${SETTING} = '${workspaceId}'`
  return {
    single<Row>(
      client: pg.ClientBase,
      statement: Statement,
      values: readonly unknown[] | undefined,
    ): Promise<Row[]> {
      const session = sessionOf(client)
      if (session.isOwn) {
        const setting = demandSetting(client, session, workspaceId)
        const rows = run<Row>(client, prepared, statement, values)
        return setting === undefined ? rows : together(rows, setting)
      }
      const begun = client.query(openText)
      const rows = run<Row>(client, prepared, statement, values)
      const ended = client.query('COMMIT')
      return together(rows, begun, ended)
    },
    begin(client) {
      const session = sessionOf(client)
      if (!session.isOwn) return client.query(openText)
      const setting = demandSetting(client, session, workspaceId)
      const begun = client.query('BEGIN')
      return setting === undefined ? begun : together(begun, setting)
    },
    forget,
  }
}
