/** Which API keys go back to a person, and that revoking them is done once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countLiveKeysOfUser,
  isLiveKey,
  keysCreatedBy,
  revokeKeys,
} from '../../../../src/features/team/key-lineage/key-lineage.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { serviceOrigin } from '../../../../src/platform/record/event.ts'
import { sql } from '../../../support/audit-chain.ts'
import { useTenants } from '../../../support/suite-app.ts'
import type { TestApp } from '../../../support/app.ts'

const tenant = useTenants()

/** A platform key without a secret that anybody has. @returns its uuid */
async function newKey(
  { database, seed }: TestApp,
  createdBy: string,
  workspaceId = seed.uuid,
): Promise<string> {
  const id = newUuid()
  await sql(
    database,
    `INSERT INTO api_keys (workspace_id, id, kind, name, hash, hint, created_by)
     VALUES ($1, $2::uuid, 'platform', 'x', sha256($2::uuid::text::bytea), '…', $3)`,
    [workspaceId, id, createdBy],
  )
  return id
}

/** Each made with the one before. */
async function newChain(app: TestApp, createdBy: string, length: number): Promise<string[]> {
  const chain: string[] = []
  for (let by = createdBy; chain.length < length; by = formatId('key', chain.at(-1) as string)) {
    chain.push(await newKey(app, by))
  }
  return chain
}

const idsOf = (keys: readonly { id: string }[]): string[] => keys.map(({ id }) => id).toSorted()

test('keys go back to a person however many keys lie between, and ended ones too', async (t) => {
  const app = await tenant(t)
  const { database, seed } = app
  const person = formatId('usr', newUuid())
  const mine = [...(await newChain(app, person, 5)), await newKey(app, person)]
  await newChain(app, formatId('usr', newUuid()), 3)
  await newKey(app, person, seed.other.uuid)
  const [first, last] = [mine[0], mine.at(-1)]
  await sql(database, `UPDATE api_keys SET revoked_at = now() WHERE id = $1`, [first])
  const ending = `UPDATE api_keys SET kind = 'provision', expires_at = now() WHERE id = $1`
  await sql(database, ending, [last])
  const found = await keysCreatedBy(database, seed.uuid, person)
  assert.deepEqual(idsOf(found), mine.toSorted())
  const status = new Map(found.map((key) => [key.id, key.status]))
  assert.deepEqual(
    mine.map((id) => status.get(id)),
    ['revoked', 'active', 'active', 'active', 'active', 'expired'],
  )
})

test('the live keys of a person are counted by workspace', async (t) => {
  const app = await tenant(t)
  const { database, seed } = app
  const person = formatId('usr', newUuid())
  const [revoked] = [await newKey(app, person), await newKey(app, person)]
  await newKey(app, person, seed.other.uuid)
  await sql(database, 'UPDATE api_keys SET revoked_at = now() WHERE id = $1', [revoked])
  const counted = await countLiveKeysOfUser.rows(database, { createdBy: person })
  assert.deepEqual(
    counted.map(({ slug, keys }) => [slug, keys]),
    [seed.slug, seed.other.slug].toSorted().map((slug) => [slug, 1]),
  )
})

test('one of ten concurrent revocations revokes the keys, and no key of another workspace ends', async (t) => {
  const app = await tenant(t)
  const { database, services, seed } = app
  const person = formatId('usr', newUuid())
  const keys = await newChain(app, person, 3)
  const theirs = await newKey(app, person, seed.other.uuid)
  await Promise.all(
    Array.from({ length: 10 }, () =>
      database.transaction((trx) =>
        revokeKeys(services, trx, serviceOrigin, seed.uuid, [...keys, theirs]),
      ),
    ),
  )
  const entries = await sql<{ resource_id: string }>(
    database,
    `SELECT resource_id FROM audit_log WHERE workspace_id = $1 AND action = 'api_key.revoked'`,
    [seed.uuid],
  )
  assert.deepEqual(
    entries.map(({ resource_id }) => resource_id).toSorted(),
    keys.map((id) => formatId('key', id)).toSorted(),
  )
  const isLive = (workspaceId: string, id: string) => isLiveKey.any(database, { workspaceId, id })
  for (const id of keys) assert.equal(await isLive(seed.uuid, id), false)
  assert.equal(await isLive(seed.other.uuid, theirs), true)
})
