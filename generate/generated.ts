/**
 * The repository's generated files. `npm run generate` writes them, and a test keeps them current.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { type Permission, permissions, roles } from '../src/platform/access/permissions.ts'
import { startEmbeddedPostgres } from '../src/platform/database/embedded.ts'
import { releasedText } from './released-migrations.ts'
import { dumpSchema } from './schema-dump.ts'
import { catalogue } from '../src/platform/errors/errors.ts'
import { gateCodes, ownCodes } from '../src/platform/http/openapi-failures.ts'
import { operations, tags } from '../src/operations.ts'
import { configurationPage } from '../src/commands/config/configuration-page.ts'
import { readVersion } from '../src/app/project.ts'
import { eventTypes } from '../src/platform/record/event.ts'
import { openapiDocument, openapiText } from '../src/platform/http/openapi.ts'
import { applyMigrations, migrations } from '../src/commands/installation/databases.ts'
import { inMarkdown } from '../src/commands/table.ts'
import { sdkEventTypes, sdkFilters, sdkPublicOperations, sdkSchema } from './sdk-schema.ts'
import { statementTypes } from './statement-types.ts'

/** Reads the schema and the types of statements from a temporary database with all migrations. */
async function readMigrated(): Promise<{ schema: string; statements: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mooring-schema-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  try {
    await applyMigrations(postgres.connection, () => {}, {})
    const client = new Client(postgres.connection)
    await client.connect()
    try {
      return { schema: await dumpSchema(client), statements: await statementTypes(client) }
    } finally {
      await client.end()
    }
  } finally {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

let migrated: ReturnType<typeof readMigrated> | undefined
const fromMigrated = () => (migrated ??= readMigrated())

const ofTheGate = new Set<string>(operations.flatMap(gateCodes))

/** Empty for what the gate refuses with: it stands before every operation. */
function operationsThatFailWith(code: string): string {
  if (ofTheGate.has(code)) return ''
  return operations
    .filter((each) => each.summary !== undefined && ownCodes(each).some((own) => own === code))
    .map(({ id }) => `\`${id}\``)
    .join(', ')
}

function errorsPage(): string {
  const rows = Object.entries(catalogue)
    .sort(([, { status }], [, { status: other }]) => status - other)
    .map(([code, { status, sentence, remedy }]) => [
      String(status),
      `\`${code}\``,
      sentence,
      remedy,
      operationsThatFailWith(code) || 'any operation',
    ])
  return `# Failures

The response to a refused request is a problem (RFC 9457, \`application/problem+json\`) with a \`code\`
whose meaning never changes. \`type\` is the URL of a page that explains it, \`detail\` (repeated in
\`message\`) is for people, \`errors\` points at members of the request, \`limit\` describes the limit
that was reached, and \`trace_id\` identifies the request in the log.

${inMarkdown(['Status', 'Code', 'Meaning', 'What to do', 'Operations'], rows)}
`
}

function permissionsPage(): string {
  const mark = (holds: boolean): string => (holds ? 'yes' : '')
  const rows = Object.keys(permissions).map((name) => {
    const { roles: holders, platformKey, may } = permissions[name as Permission]
    const held: readonly string[] = holders
    const asked = operations.filter(
      ({ permission, alsoNeeds }) => permission === name || alsoNeeds.some((also) => also === name),
    )
    return [
      `\`${name}\``,
      may,
      ...roles.map((role) => mark(held.includes(role))),
      mark(platformKey),
      asked.map(({ id }) => `\`${id}\``).join(', '),
    ]
  })
  return `# Permissions

The permissions of members, by role, and of platform keys in a workspace. Operations without a
permission are open to the owner of the resource, such as the user's own account.

${inMarkdown(['Permission', 'May', ...roles, 'platform key', 'Operations'], rows)}
`
}

/** Path in the repository, and how its contents are generated. */
export const generatedFiles: Readonly<Record<string, () => string | Promise<string>>> = {
  'openapi.json': () => openapiText(openapiDocument(operations, { tags })),
  'schema.sql': async () => (await fromMigrated()).schema,
  'statements.ts': async () => (await fromMigrated()).statements,
  'migrations/released.json': () => releasedText(migrations, readVersion()),
  'sdk/schema.ts': () => sdkSchema(operations),
  'sdk/public-operations.ts': () => sdkPublicOperations(operations),
  'sdk/filters.ts': () => sdkFilters(operations),
  'sdk/event-types.ts': () => sdkEventTypes(eventTypes),
  'docs/configuration.md': configurationPage,
  'docs/errors.md': errorsPage,
  'docs/permissions.md': permissionsPage,
}
