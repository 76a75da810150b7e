/**
 * The description of a statement and of the columns of tables by Postgres, without running
 * anything.
 */
import type { Client, ClientBase, Submittable } from 'pg'

export interface DescribedField {
  name: string
  typeId: number
  /** The column that it is, unless it is computed: 0. */
  tableId: number
  columnId: number
}

export interface Description {
  /** Object identifiers of types. */
  parameters: readonly number[]
  fields: readonly DescribedField[]
}

/** The connection methods and events that `pg` offers its own queries; the version is pinned. */
interface Connection {
  parse(config: { name: string; text: string }): void
  describe(config: { type: 'S'; name: string }): void
  sync(): void
  once(event: 'parameterDescription', listener: (message: Parameters) => void): void
}

interface Parameters {
  dataTypeIDs: number[]
}

interface RowDescription {
  fields: { name: string; dataTypeID: number; tableID: number; columnID: number }[]
}

/** Parse, Describe and Sync of the extended protocol (PostgreSQL documentation, 54.2.3). */
export function describeStatement(client: Client, text: string): Promise<Description> {
  return new Promise((resolve, reject) => {
    let parameters: readonly number[] = []
    let fields: readonly DescribedField[] = []
    const query = {
      submit(connection: Connection): void {
        connection.once('parameterDescription', ({ dataTypeIDs }) => {
          parameters = dataTypeIDs
        })
        connection.parse({ name: '', text })
        connection.describe({ type: 'S', name: '' })
        connection.sync()
      },
      handleRowDescription(message: RowDescription): void {
        fields = message.fields.map(({ name, dataTypeID, tableID, columnID }) => ({
          name,
          typeId: dataTypeID,
          tableId: tableID,
          columnId: columnID,
        }))
      },
      handleError: reject,
      handleReadyForQuery: () => resolve({ parameters, fields }),
    }
    client.query(query as unknown as Submittable)
  })
}

export interface TableColumn {
  tableId: number
  columnId: number
  table: string
  column: string
  typeId: number
  isNotNull: boolean
  /** The texts that a constraint allows. */
  values: readonly string[] | undefined
}

const COLUMNS = `
  SELECT c.oid::int AS table_id, a.attnum::int AS column_id, c.relname AS table, a.attname AS column,
         a.atttypid::int AS type_id, a.attnotnull AS is_not_null,
         (SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k
          WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]
            AND pg_get_constraintdef(k.oid) LIKE 'CHECK ((' || a.attname || ' = ANY (%'
          LIMIT 1) AS condition
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p', 'v') ORDER BY c.relname COLLATE "C", a.attname COLLATE "C"`

interface ColumnRow {
  table_id: number
  column_id: number
  table: string
  column: string
  type_id: number
  is_not_null: boolean
  condition: string | null
}

/** The texts of `status = ANY (ARRAY['a'::text, 'b'::text])`, or of `'{a,b}'::text[]`. */
function textsOf(condition: string | null): string[] | undefined {
  const array = condition?.match(/'\{(.*)\}'::text\[\]/)?.[1]
  if (array !== undefined && /["\\]/.test(array)) throw new Error(`a quoted text in ${condition}`)
  const quoted = condition?.matchAll(/'([^']*)'::text/g) ?? []
  const texts = array?.split(',') ?? [...quoted].map(([, text]) => text as string)
  return texts.length > 0 ? texts : undefined
}

export async function tableColumns(client: ClientBase): Promise<TableColumn[]> {
  const { rows } = await client.query<ColumnRow>(COLUMNS)
  return rows.map((row) => {
    return {
      tableId: row.table_id,
      columnId: row.column_id,
      table: row.table,
      column: row.column,
      typeId: row.type_id,
      isNotNull: row.is_not_null,
      values: textsOf(row.condition),
    }
  })
}

/** Names of types, by their object identifiers. */
export async function typeNames(client: ClientBase): Promise<Map<number, string>> {
  const { rows } = await client.query<{ id: number; typname: string }>(
    'SELECT oid::int AS id, typname FROM pg_type',
  )
  return new Map(rows.map(({ id, typname }) => [id, typname]))
}
