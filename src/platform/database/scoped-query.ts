/**
 * Sends a statement together with a required setting: Bind and Execute of the setting, then the
 * statement, then one Sync. Both run in one transaction (PostgreSQL documentation, 54.2.3), so no
 * other statement can come between them.
 *
 * A setting may persist on its connection. A later statement that needs the same one is then sent
 * alone, if the setting is certain to be in effect: a failing statement rolls back the setting sent
 * with it.
 */
import type pg from 'pg'
import { type DataRow, DescribedQuery, type PgConnection } from './described-query.ts'
import { run, send, type Statement, withArrayText } from './query.ts'

/** A statement whose only effect is the setting. */
export interface Setting {
  /** The name of a prepared statement; '' sends the text each time. */
  name: string
  text: string
  values: readonly string[]
}

/** The last setting sent on a connection, whose statements run in sending order. */
interface Sent {
  value: string
  /** Whether no failing statement can roll it back any more. */
  isFirm: boolean
}

const lastSent = new WeakMap<pg.ClientBase, Sent>()

class ScopedQuery extends DescribedQuery {
  readonly #setting: Setting
  #isSet = false

  constructor(statement: Statement, values: readonly unknown[], setting: Setting) {
    super(statement, values)
    this.#setting = setting
  }

  override prepare(client: PgConnection): void {
    const { name, text, values } = this.#setting
    if (name === '') client.parse({ name, text })
    client.bind({ statement: name, values })
    client.execute({})
    super.prepare(client)
  }

  /** The first result belongs to the setting and is ignored. */
  override handleDataRow(message: DataRow): void {
    if (this.#isSet) super.handleDataRow(message)
  }

  override handleCommandComplete(): void {
    this.#isSet = true
  }
}

/** Runs a statement under a setting. A named statement needs a named setting. */
export const runScoped = <Row>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  setting: Setting,
): Promise<Row[]> => send(client, new ScopedQuery(statement, withArrayText(values), setting))

/** Sends a setting alone, so that no later statement can roll it back. */
function settle(client: pg.ClientBase, { name, text, values }: Setting): void {
  client.query({ name, text, values: [...values] }).catch(() => {
    // Later statements on the connection would see no rows, or another workspace's: it must be
    // closed.
    ;(
      client as unknown as { connection: { stream: { destroy(): void } } }
    ).connection.stream.destroy()
  })
}

/**
 * Runs a statement under a persistent setting. Alternating settings are each sent with their
 * statement; a repeated one is sent once.
 * @param value the setting's only parameter
 */
export function runSettled<Row>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  setting: Setting,
  value: string,
): Promise<Row[]> {
  const last = lastSent.get(client)
  if (last?.value !== value) return runSetting(client, statement, values, setting, value)
  if (!last.isFirm) {
    last.isFirm = true
    settle(client, setting)
  }
  return run(client, true, statement, values)
}

async function runSetting<Row>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  setting: Setting,
  value: string,
): Promise<Row[]> {
  const sent: Sent = { value, isFirm: false }
  lastSent.set(client, sent)
  try {
    const rows = await runScoped<Row>(client, statement, values, setting)
    sent.isFirm = true
    return rows
  } catch (error) {
    if (!sent.isFirm && lastSent.get(client) === sent) lastSent.delete(client)
    throw error
  }
}
