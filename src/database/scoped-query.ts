/**
 * A statement together with the setting that it needs, sent as one: Bind and Execute of the
 * setting, then the statement, then one Sync. So both are one transaction (PostgreSQL
 * documentation, 54.2.3): nobody else's can come between, and neither travels alone.
 *
 * A setting may last on its connection. Then the next statement that needs the same one goes alone,
 * if it is certain to be there: a statement that fails takes back the setting that came with it.
 */
import pg from 'pg'
import { run, type Statement, translate } from './query.ts'

/** A statement whose only effect is what it sets. */
export interface Setting {
  /** Of a prepared statement; '' sends the text each time. */
  name: string
  text: string
  values: readonly string[]
}

/** The last setting that was sent on a connection, whose statements run in the order of sending. */
interface Sent {
  value: string
  /** Whether no failure of a statement can take it back any more. */
  isFirm: boolean
}

const lastSent = new WeakMap<pg.ClientBase, Sent>()

/** What `pg` offers its own queries of a connection; its version is pinned. */
interface Wire {
  parse(config: { name: string; text: string }): void
  bind(config: { statement: string; values: readonly string[] }): void
  execute(config: object): void
}

/** The part of `pg.Query` that its types leave out. */
interface WireQuery {
  prepare(wire: Wire): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, wire: Wire): void
}

const base = pg.Query as unknown as new (config: object) => WireQuery

class ScopedQuery extends base {
  readonly #setting: Setting
  #isSet = false

  constructor(config: object, setting: Setting) {
    super(config)
    this.#setting = setting
  }

  override prepare(wire: Wire): void {
    const { name, text, values } = this.#setting
    if (name === '') wire.parse({ name, text })
    wire.bind({ statement: name, values })
    wire.execute({})
    super.prepare(wire)
  }

  /** The first answer is that of the setting, and interests nobody. */
  override handleDataRow(message: unknown): void {
    if (this.#isSet) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isSet) super.handleCommandComplete(message, wire)
    this.#isSet = true
  }
}

/** Runs a statement under a setting. One with a name needs a setting with a name. */
export function runScoped<Row>(
  client: pg.ClientBase,
  { name, text }: Statement,
  values: readonly unknown[],
  setting: Setting,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const callback = (error: Error | null | undefined, result: { rows: Row[] }): void => {
      if (error) reject(translate(error))
      else resolve(result.rows)
    }
    // The setting has no place in the protocol for texts, which is what goes without parameters.
    const config = { text, values, queryMode: 'extended', callback, ...(name && { name }) }
    client.query(new ScopedQuery(config, setting) as unknown as pg.Submittable)
  })
}

/** Sends a setting by itself: nothing that comes after it can take it back. */
function settle(client: pg.ClientBase, { name, text, values }: Setting): void {
  client.query({ name, text, values: [...values] }).catch(() => {
    // What follows it on the connection sees nobody's rows, or those of another: it must not go on.
    ;(
      client as unknown as { connection: { stream: { destroy(): void } } }
    ).connection.stream.destroy()
  })
}

/**
 * Runs a statement under a setting that lasts. Who alternates between two settings sends each with
 * its statement; who stays with one sends it once.
 * @param value what is set, as its only parameter
 */
export async function runSettled<Row>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  setting: Setting,
  value: string,
): Promise<Row[]> {
  const last = lastSent.get(client)
  if (last?.value === value) {
    if (!last.isFirm) {
      last.isFirm = true
      settle(client, setting)
    }
    return run(client, true, statement, values)
  }
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
