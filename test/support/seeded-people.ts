/** Resources of people and operators that belong to no workspace. */
import { newUuid } from '../../src/platform/lib/ids.ts'
import type { TestApp } from './app.ts'
import type { SeededWorkspace } from './seed.ts'

type Bench = Pick<TestApp, 'database'>

/** At a provider that is not there any more. */
async function seedIdentity({ database }: Bench, userId: string): Promise<string> {
  const id = newUuid()
  await database.pool.query(
    `INSERT INTO sso_identities (id, user_id, provider, issuer, subject, email)
     VALUES ($1, $2, 'seeded', 'https://sso.example.com', $3, 'seed@example.com')`,
    [id, userId, id],
  )
  return id
}

/** A mail that was given up, and an examination of a broker that has ended. */
async function seedForOperators({ database: { pool } }: Bench, workspaceId: string) {
  const mail = newUuid()
  await pool.query(
    `INSERT INTO mail_outbox (workspace_id, id, recipient, subject, sealed_text, status, ended_at)
     VALUES ($1, $2, 'seed@example.com', 'Seeded', 'x', 'failed', now())`,
    [workspaceId, mail],
  )
  const run = newUuid()
  await pool.query(
    `INSERT INTO doctor_runs (id, broker, status, ended_at)
     VALUES ($1, 'embedded', 'failed', now())`,
    [run],
  )
  return { mail, run }
}

export const seedForPeople = async (app: Bench, { uuid, owner }: SeededWorkspace) => ({
  idn: await seedIdentity(app, owner.uuid),
  ...(await seedForOperators(app, uuid)),
})
