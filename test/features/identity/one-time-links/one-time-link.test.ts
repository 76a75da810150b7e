/** Links that work once: for their purpose, in their time, and for one of many who use them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  deleteOldLinks,
  issueLink,
  type LinkPurpose,
  requireLink,
  useLink,
} from '../../../../src/features/identity/one-time-links/one-time-link.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { issueSecret, LINK_TOKEN_PREFIX } from '../../../../src/platform/lib/secrets.ts'
import { sql } from '../../../support/audit-chain.ts'
import { useApp } from '../../../support/suite-app.ts'

const get = useApp()

const newAddress = (): string => `${newUuid()}@example.com`
const gone = { code: 'link_not_found' }

const issue = (email: string, purpose: LinkPurpose = 'registration') => {
  const { keyring, db } = get().services
  return issueLink(keyring, db, { purpose, email, account: null })
}
const given = (purpose: LinkPurpose = 'registration') => {
  const { keyring, db } = get().services
  return [keyring, db, purpose] as const
}

test('one of twenty concurrent uses of a link succeeds, and no later one', async () => {
  const email = newAddress()
  const token = (await issue(email)) as string
  assert.equal((await requireLink(token, ...given())).email, email)
  const uses = await Promise.allSettled(
    Array.from({ length: 20 }, () => useLink(token, ...given())),
  )
  const [used, ...more] = uses.filter(({ status }) => status === 'fulfilled')
  assert.deepEqual([used?.status, more.length], ['fulfilled', 0])
  await assert.rejects(requireLink(token, ...given()), gone)
  await assert.rejects(useLink(token, ...given()), gone)
})

test('a link of a change that is rolled back still works', async () => {
  const token = (await issue(newAddress())) as string
  const [keyring, db, purpose] = given()
  const change = db.transaction(async (trx) => {
    await useLink(token, keyring, trx, purpose)
    throw new Error('no')
  })
  await assert.rejects(change, /no/)
  await useLink(token, keyring, db, purpose)
})

test('an expired link, one of another purpose, and an invented one are the same', async () => {
  const [late, other] = [newAddress(), newAddress()]
  const expired = (await issue(late)) as string
  await sql(get().database, 'UPDATE one_time_links SET expires_at = now() WHERE email = $1', [late])
  const foreign = (await issue(other, 'password_reset')) as string
  for (const token of [expired, foreign, issueSecret(LINK_TOKEN_PREFIX), 'x', '']) {
    await assert.rejects(requireLink(token, ...given()), gone)
    await assert.rejects(useLink(token, ...given()), gone)
  }
})

test('each purpose has its time, and the database knows no token', async () => {
  const email = newAddress()
  const purposes = ['setup', 'registration', 'password_reset', 'email_change'] as const
  const tokens = await Promise.all(purposes.map((purpose) => issue(email, purpose)))
  const rows = await sql<{ purpose: string; hours: number | null; whole: string }>(
    get().database,
    `SELECT purpose, (extract(epoch FROM expires_at - created_at) / 3600)::float AS hours,
            one_time_links::text AS whole
     FROM one_time_links WHERE email = $1`,
    [email],
  )
  assert.deepEqual(Object.fromEntries(rows.map(({ purpose, hours }) => [purpose, hours])), {
    setup: null,
    registration: 24,
    password_reset: 1,
    email_change: 24,
  })
  for (const token of tokens) {
    const hex = Buffer.from(token as string).toString('hex')
    for (const { whole } of rows)
      assert.ok(!whole.includes(token as string) && !whole.includes(hex))
  }
})

test('an address gets five links of a purpose in an hour, however many are asked for at once', async () => {
  const email = newAddress()
  const { keyring, db } = get().services
  const notice = { purpose: 'registration', email, account: null } as const
  assert.ok(await issueLink(keyring, db, { ...notice, isNotice: true }))
  const issued = await Promise.all(
    Array.from({ length: 8 }, () =>
      db.transaction(async (trx) => {
        const token = await issueLink(keyring, trx, notice)
        await sleep(5)
        return token
      }),
    ),
  )
  assert.equal(issued.filter((token) => token !== undefined).length, 4)
  assert.equal(await issueLink(keyring, db, { ...notice, isNotice: true }), undefined)
  assert.notEqual(await issue(email, 'password_reset'), undefined)
  const later = `UPDATE one_time_links SET created_at = now() - interval '61 minutes' WHERE email = $1`
  await sql(get().database, later, [email])
  assert.notEqual(await issue(email), undefined)
})

test('old links are deleted, and the one of the first start never', async () => {
  const email = newAddress()
  for (const purpose of ['setup', 'registration', 'email_change'] as const) {
    await issue(email, purpose)
  }
  const age = `UPDATE one_time_links SET created_at = now() - $3 * interval '1 day'
               WHERE email = $1 AND purpose = ANY($2)`
  await sql(get().database, age, [email, ['setup', 'registration'], 31])
  await sql(get().database, age, [email, ['email_change'], 29])
  await deleteOldLinks(get().database)
  const left = await sql<{ purpose: string }>(
    get().database,
    'SELECT purpose FROM one_time_links WHERE email = $1 ORDER BY purpose',
    [email],
  )
  assert.deepEqual(
    left.map(({ purpose }) => purpose),
    ['email_change', 'setup'],
  )
})
