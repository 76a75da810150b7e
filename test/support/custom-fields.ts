/** Definitions of custom fields, written straight into the database. */
import { unnamed } from '../../src/platform/database/connect.ts'
import { newUuid } from '../../src/platform/lib/ids.ts'
import type { TestApp } from './app.ts'

/** @param fields types by name. */
export async function defineFields(
  { database, seed }: Pick<TestApp, 'database' | 'seed'>,
  fields: Readonly<Record<string, 'string' | 'number' | 'boolean' | 'json'>>,
  workspaceId = seed.uuid,
): Promise<void> {
  for (const [name, type] of Object.entries(fields)) {
    await database.query(
      unnamed(
        `INSERT INTO custom_fields (workspace_id, id, name, type) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING`,
      ),
      [workspaceId, newUuid(), name, type],
    )
  }
}
