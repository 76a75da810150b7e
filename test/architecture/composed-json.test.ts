/**
 * JSON that statements compose has no member that its schema lacks, and each member of a schema is
 * composed by a statement. Members that may be null are those that the schema allows to be null.
 * Each such statement, or one with the same column, is run for a tenant that has something of every
 * kind, and again for each change of one column of the rows that it reads.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { PoolClient } from 'pg'
import { type TableColumn, tableColumns, typeNames } from '../../generate/described-statements.ts'
import {
  composedColumns,
  sqlStatements,
  type TypedStatement,
} from '../../src/platform/database/sql.ts'
import { formatId, MAX_UUID, newUuid, NIL_UUID } from '../../src/platform/lib/ids.ts'
import { isJsonObject } from '../../src/platform/lib/json.ts'
import type { StoredSchema } from '../../src/platform/lib/stored-json.ts'
import { seedWorkspace } from '../support/seed.ts'
import { useApp } from '../support/suite-app.ts'
import { seedTenant, type Tenant } from '../support/tenants.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })

/** The same schema, without members that it does not name. */
const closed = (schema: StoredSchema): object =>
  JSON.parse(JSON.stringify(schema), (_name, value: unknown) =>
    isJsonObject(value) && isJsonObject(value.properties)
      ? { additionalProperties: false, ...value }
      : value,
  ) as object

const validators = new Map<StoredSchema, ValidateFunction>()
function validatorOf(schema: StoredSchema): ValidateFunction {
  const isRight = validators.get(schema) ?? ajv.compile(closed(schema))
  validators.set(schema, isRight)
  return isRight
}

const isNull = (path: string): boolean => path.endsWith('=null')

/** The members that a schema names, at any depth; those that may be null also as `.name=null`. */
function namedIn(schema: unknown, path = ''): string[] {
  if (!isJsonObject(schema)) return []
  const { properties, items, anyOf, type } = schema
  const members = Object.entries(isJsonObject(properties) ? properties : {})
  return [
    ...(type === 'null' ? [`${path}=null`] : []),
    ...members.flatMap(([name, each]) => [`${path}.${name}`, ...namedIn(each, `${path}.${name}`)]),
    ...namedIn(items, path),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((each) => namedIn(each, path)) : []),
  ]
}

/** The members that a value has, in the same form. */
function foundIn(value: unknown, path = ''): string[] {
  if (value === null) return [`${path}=null`]
  if (Array.isArray(value)) return value.flatMap((item) => foundIn(item, path))
  const members = Object.entries(isJsonObject(value) ? value : {})
  return members.flatMap(([name, each]) => [`${path}.${name}`, ...foundIn(each, `${path}.${name}`)])
}

/** The composed columns of a statement, as they stand in its source, and their names. */
const composedIn = ({ source }: TypedStatement): { mark: string; name: string }[] =>
  [...source.matchAll(/ AS (\w+)[!?]?#\d+/g)]
    .map(([mark, name = '']) => ({ mark, name }))
    .filter(({ mark }) => composedColumns.has(mark))

type Rows = readonly [into: string, values: readonly unknown[]][]

/** The rows of a device that the statements below read, in addition to those of every tenant. */
const rowsOfDevice = ({ things: { dev, moid, mse }, workspace }: Tenant, login: string): Rows => {
  const owner = [workspace.uuid, dev]
  return [
    [`changes (kind, ref) VALUES ('device', $1)`, [dev]],
    [
      `device_secrets (workspace_id, device_id, kind, generation, hash)
       VALUES ($1, $2, 'mqtt', 1, 'x')`,
      owner,
    ],
    [
      `moid_mqtt_logins (workspace_id, id, moid_id, session_id, hash, expires_at)
       VALUES ($1, $2, $3, $4, 'x', now() + interval '1 hour')`,
      [workspace.uuid, login, moid, mse],
    ],
    [`device_configs (workspace_id, device_id, version, config) VALUES ($1, $2, 2, '{}')`, owner],
    [
      `connection_attempts (workspace_id, device_id, id, attempts, client_id, address,
                            protocol_version, at, last_at)
       VALUES ($1, $2, $3, 1, 'x', '192.0.2.1', 4, now(), now())`,
      [...owner, newUuid()],
    ],
    [
      `audit_log (workspace_id, id, actor_kind, action, resource_kind, resource_id)
       VALUES ($1, $2, 'service', 'device.suspended', 'device', $3)`,
      [workspace.uuid, newUuid(), formatId('dev', dev as string)],
    ],
  ]
}

/** The event of the webhook's delivery, and one more delivery of it that waits. */
const rowsOfWebhook = ({ things: { dev, whk, dlv }, workspace }: Tenant): Rows => [
  [
    `events (workspace_id, id, type, subject_id, data)
     VALUES ($1, $3, 'device.config_reported', $2, '{"version": 2, "status": "applied"}'),
       ($1, $4, 'device.config_reported', $2,
        '{"version": null, "status": "rejected", "error": "x"}')`,
    [workspace.uuid, dev, dlv, newUuid()],
  ],
  [
    `webhook_deliveries (workspace_id, webhook_id, id, event_id, seq, type, status, tries,
                         next_try_at, attempts)
     VALUES ($1, $2, $3, $4, 0, 'device.config_reported', 'waiting', 0, now(), '[]')`,
    [workspace.uuid, whk, newUuid(), dlv],
  ],
  [
    `webhook_cursors (workspace_id, webhook_id, seq, event_id) VALUES ($1, $2, 0, $3)
     ON CONFLICT DO NOTHING`,
    [workspace.uuid, whk, dlv],
  ],
]

/** Statements with their parameters; of several with the same column, one. */
const runsOf = (
  { workspace: { uuid: workspaceId }, things: { dev, ses, mqp, dom, whk, dlv } }: Tenant,
  login: string,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> => {
  const webhook = { workspaceId, webhookId: whk }
  const feed = { workspaceId, seq: -1, id: NIL_UUID, to: 1e9, limit: 10, scan: 10 }
  return {
    'changes.read': { snapshot: '1:1:' },
    'device_timeline.page': {
      workspaceId,
      deviceId: dev,
      publicId: formatId('dev', dev as string),
      kinds: ['connection', 'command', 'config', 'config_report', 'note'],
      actions: ['device.suspended'],
      before: MAX_UUID,
      scan: 10,
      limit: 10,
    },
    'domains.by_id': { workspaceId, id: dom },
    'events.read': feed,
    'ledger.by_key': { workspaceId, key: 'credit:seed' },
    'ledger.filtered': { workspaceId },
    'live.devices': { workspaceIds: [workspaceId], ids: [dev] },
    'live.webhooks': { workspaceIds: [workspaceId], ids: [whk] },
    'mqtt_credentials.by_devices': { ids: [dev] },
    'mqtt_credentials.by_phone': { id: login },
    'mqtt_credentials.by_principals': { ids: [mqp] },
    'user_sessions.to_refresh': { id: ses },
    'webhook_deliveries.by_id': { ...webhook, id: dlv },
    'webhook_deliveries.due': { ...webhook, limit: 10 },
    'webhook_deliveries.filtered': { workspaceId },
  }
}

/** Values other than null, by the type of a column that may be null. */
const samples: Readonly<Record<string, readonly string[]>> = {
  text: [`'x'`],
  timestamptz: ['now()'],
  uuid: ['gen_random_uuid()'],
  int4: ['1'],
}

/** Changes of one column, or of one table, that the statement reads: they make other rows of it. */
function changesFor(
  { text }: TypedStatement,
  columns: readonly TableColumn[],
  types: ReadonlyMap<number, string>,
): string[] {
  const reads = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(text)
  const own = columns.filter(({ table }) => reads(table))
  const tables = new Set(own.map(({ table }) => table))
  const updates = own
    .filter(({ column }) => reads(column))
    .flatMap(({ table, column, isNotNull, values, typeId }) => {
      const given = values?.map((value) => `'${value}'`) ?? []
      const nullable = ['NULL', ...(samples[types.get(typeId) ?? ''] ?? [])]
      return [...given, ...(isNotNull ? [] : nullable)].map(
        (value) => `UPDATE ${table} SET ${column} = ${value}`,
      )
    })
  return [...updates, ...[...tables].map((table) => `DELETE FROM ${table}`)]
}

/** Makes a change for as long as `then` runs. @returns false if a constraint refuses it */
async function changed(
  client: PoolClient,
  change: string,
  then: () => Promise<void>,
): Promise<boolean> {
  await client.query('SAVEPOINT unchanged')
  const isDone = await client.query(change).then(
    () => true,
    () => false,
  )
  if (isDone) await then()
  await client.query('ROLLBACK TO SAVEPOINT unchanged')
  return isDone
}

describe('JSON that statements compose', () => {
  const get = useApp()
  let runs: ReturnType<typeof runsOf>
  before(async () => {
    const tenant = await seedTenant(get(), await seedWorkspace(get().app))
    const login = newUuid()
    for (const [into, values] of [...rowsOfDevice(tenant, login), ...rowsOfWebhook(tenant)]) {
      await get().database.pool.query(`INSERT INTO ${into}`, [...values])
    }
    runs = runsOf(tenant, login)
  })

  const statementOf = (name: string): TypedStatement => {
    const statement = sqlStatements.get(name)
    assert.ok(statement, `there is no statement ${name}`)
    return statement
  }

  test('each composed column is in a statement that is run here', () => {
    const run = Object.keys(runs).flatMap((name) => composedIn(statementOf(name)))
    const marks = new Set(run.map(({ mark }) => mark))
    assert.ok(marks.size > 0)
    assert.deepEqual(
      [...sqlStatements.values()]
        .filter((statement) => composedIn(statement).some(({ mark }) => !marks.has(mark)))
        .map(({ name }) => name),
      [],
    )
  })

  /** Runs a statement. @returns what is in its columns, by schema; each has the shape of it. */
  async function readComposed(
    client: PoolClient,
    name: string,
    change: string,
  ): Promise<[schema: StoredSchema, members: string[]][]> {
    const statement = statementOf(name)
    const values = statement.parameters.map((parameter) => runs[name]?.[parameter])
    const { rows } = await client.query<Record<string, unknown>>(statement.text, values)
    return composedIn(statement).map(({ name: column }) => {
      const schema = statement.stored.get(column) as StoredSchema
      const isRight = validatorOf(schema)
      const found = rows.map((row) => row[column])
      for (const value of found) {
        const text = `${name}, ${column}, ${change}: ${JSON.stringify(value)}`
        if (value === null) assert.notEqual(statement.declared.get(column), true, text)
        else assert.ok(isRight(value), `${text}: ${ajv.errorsText(isRight.errors)}`)
      }
      return [
        schema,
        found.filter((value) => value !== null).flatMap((value) => ['', ...foundIn(value)]),
      ]
    })
  }

  test('each value has the shape of its schema, and each member is in some value', async (t) => {
    const client = await get().database.pool.connect()
    t.after(() => client.release())
    const found = new Map<StoredSchema, Set<string>>()
    for (const name of Object.keys(runs)) {
      for (const [schema, members] of await readComposed(client, name, 'as seeded')) {
        assert.ok(members.length > 0, `${name} returns no value`)
        found.set(schema, new Set([...(found.get(schema) ?? []), ...members]))
      }
    }
    for (const [schema, members] of found) {
      assert.deepEqual(
        namedIn(schema).filter((member) => !isNull(member) && !members.has(member)),
        [],
      )
    }
  })

  test('a member is null for some rows if, and only if, its schema allows it', async (t) => {
    const client = await get().database.pool.connect()
    t.after(async () => {
      await client.query('ROLLBACK')
      client.release()
    })
    const columns = await tableColumns(client)
    const types = await typeNames(client)
    const nulls = new Map<StoredSchema, Set<string>>()
    const read = async (name: string, change: string): Promise<void> => {
      for (const [schema, members] of await readComposed(client, name, change)) {
        nulls.set(schema, new Set([...(nulls.get(schema) ?? []), ...members.filter(isNull)]))
      }
    }
    let changes = 0
    await client.query('BEGIN')
    for (const name of Object.keys(runs)) {
      await read(name, 'as seeded')
      for (const change of changesFor(statementOf(name), columns, types)) {
        if (await changed(client, change, () => read(name, change))) changes += 1
      }
    }
    assert.ok(changes > 100, `only ${changes} changes were possible`)
    for (const [schema, members] of nulls) {
      assert.deepEqual(
        namedIn(schema).filter((member) => isNull(member) && !members.has(member)),
        [],
      )
    }
  })
})
