/**
 * A statement together with the setting that it needs, sent as one: Bind and Execute of the
 * setting, then the statement, then one Sync. So both are one transaction (PostgreSQL
 * documentation, 54.2.3): the setting ends with the statement, nobody else's can come between, and
 * neither travels alone.
 */
import pg from 'pg'
import { type Statement, translate } from './query.ts'

/** A statement whose only effect is what it sets until the end of its transaction. */
export interface Setting {
  /** Of a prepared statement; '' sends the text each time. */
  name: string
  text: string
  values: readonly string[]
}

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
