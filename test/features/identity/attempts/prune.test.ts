/** The deletion of failed tries, which unauthenticated callers can make for any address. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteOldAttempts } from '../../../../src/features/identity/attempts/attempt.ts'
import { startApp } from '../../../support/app.ts'

test('counts of passwords and of sources are deleted after a day, those of authenticators never', async (t) => {
  const { database } = await startApp(t)
  await database.pool.query(
    `INSERT INTO failed_tries (subject, factor, tries, locked_until, updated_at)
     SELECT sha256(name::bytea), factor, 12, now() + locked, now() - age
     FROM (VALUES ('fresh', 'password', NULL, interval '23 hours'),
                  ('old', 'password', NULL, interval '25 hours'),
                  ('source', 'source', NULL, interval '25 hours'),
                  ('over', 'password', interval '-24 hours', interval '25 hours'),
                  ('locked', 'source', interval '1 minute', interval '25 hours'),
                  ('factor', 'totp', NULL, interval '90 days')) AS f (name, factor, locked, age)`,
  )
  await deleteOldAttempts(database)
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT name FROM failed_tries
     JOIN (VALUES ('fresh'), ('old'), ('over'), ('locked'), ('factor'), ('source')) AS n (name)
       ON subject = sha256(name::bytea)
     ORDER BY name`,
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['factor', 'fresh', 'locked'],
  )
})
