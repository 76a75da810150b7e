/**
 * Named statements, whose columns are described once on each connection. Postgres refuses to run a
 * named statement whose columns have changed (PostgreSQL documentation, PREPARE), so the first
 * description stays right for as long as the connection knows the name. Describing and reading the
 * columns costs more than a row of them.
 */
import pg from 'pg'
import { typeParsers } from './value-types.ts'

/** The connection methods that `pg` offers its own queries; the version is pinned. */
export interface PgConnection {
  parse(config: { name: string; text: string }): void
  bind(config: { statement: string; values: readonly unknown[] }): void
  execute(config: object): void
  sync(): void
}

interface RowDescription {
  fields: readonly { name: string; dataTypeID: number }[]
}

export interface DataRow {
  fields: readonly (string | null)[]
}

/** The part of `pg.Query` missing from its types. */
interface ProtocolQuery {
  name: string | undefined
  queryMode: 'extended' | undefined
  values: readonly unknown[] | undefined
  callback: (error: Error | null | undefined, result?: { rows: unknown[] }) => void
  prepare(connection: PgConnection): void
}

interface Columns {
  names: readonly string[]
  parsers: readonly ((text: string) => unknown)[]
  /** A row with all of its members, which each row begins as a copy of. */
  empty: Readonly<Record<string, null>>
}

const NO_COLUMNS: Columns = { names: [], parsers: [], empty: {} }

const columnsOf = ({ fields }: RowDescription): Columns => ({
  names: fields.map(({ name }) => name),
  parsers: fields.map(({ dataTypeID }) => typeParsers.getTypeParser(dataTypeID, 'text')),
  empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
})

function rowOf({ names, parsers, empty }: Columns, { fields }: DataRow): unknown {
  const row: Record<string, unknown> = { ...empty }
  for (let at = 0; at < fields.length; at += 1) {
    const text = fields[at] as string | null
    if (text !== null) row[names[at] as string] = (parsers[at] as Columns['parsers'][number])(text)
  }
  return row
}

/** Values as the protocol has them; undefined if one of them is left to the driver. */
function plainValues(values: readonly unknown[]): unknown[] | undefined {
  const plain: unknown[] = []
  for (const value of values) {
    const isText = typeof value === 'string' || Buffer.isBuffer(value)
    if (isText || value === null || value === undefined) plain.push(value)
    else if (typeof value === 'number' || typeof value === 'boolean') plain.push(String(value))
    else return undefined
  }
  return plain
}

/** By connection and name of the statement. */
const described = new WeakMap<PgConnection, Map<string, Columns>>()

function knownOn(connection: PgConnection): Map<string, Columns> {
  let known = described.get(connection)
  if (known === undefined) described.set(connection, (known = new Map()))
  return known
}

const base = pg.Query as unknown as new (text: string, values: readonly unknown[]) => ProtocolQuery

/** A statement of the extended protocol: named ones are described once. */
export class DescribedQuery extends base {
  readonly #rows: unknown[] = []
  #columns: Columns | undefined
  #failure: Error | undefined

  /** @param values with arrays as literals */
  constructor(
    { name, text }: Pick<ProtocolQuery, 'name'> & { text: string },
    values: readonly unknown[],
  ) {
    // The driver would copy an object property by property.
    super(text, values)
    this.name = name
    // The simple protocol, which the driver uses without parameters, has no place for a setting.
    this.queryMode = 'extended'
  }

  override prepare(connection: PgConnection): void {
    const { name, values = [] } = this
    const known = name === undefined ? undefined : knownOn(connection).get(name)
    const plain = known && plainValues(values)
    if (name === undefined || plain === undefined) return super.prepare(connection)
    this.#columns = known
    connection.bind({ statement: name, values: plain })
    connection.execute({})
    connection.sync()
  }

  handleRowDescription(message: RowDescription): void {
    this.#columns = columnsOf(message)
  }

  handleDataRow(message: DataRow): void {
    if (this.#failure !== undefined) return
    try {
      this.#rows.push(rowOf(this.#columns ?? NO_COLUMNS, message))
    } catch (error) {
      this.#failure = error as Error
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(connection: PgConnection): void {
    // A statement without rows gets no description either.
    if (this.name !== undefined) knownOn(connection).set(this.name, this.#columns ?? NO_COLUMNS)
    if (this.#failure === undefined) this.callback(null, { rows: this.#rows })
    else this.callback(this.#failure)
  }
}
