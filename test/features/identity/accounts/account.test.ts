/** Accounts: one for each address, anyone who asks for it and however it is written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../../src/platform/errors/errors.ts'
import { createAccount } from '../../../../src/features/identity/accounts/account.ts'
import { startApp } from '../../../support/app.ts'
import { count, logIn, PASSWORD } from '../../../support/sign-in.ts'

const pointsAt =
  (pointer: string) =>
  (error: unknown): boolean =>
    error instanceof Failure && error.options.errors?.[0]?.pointer === pointer

test('an account that was made can sign in at once', async (t) => {
  const app = await startApp(t)
  const account = { email: 'Ada@Example.com', password: PASSWORD, name: ' Ada ' }
  const row = await createAccount(app.services, account)
  assert.equal(row.email, 'ada@example.com')
  assert.equal(row.name, 'Ada')
  assert.equal((await logIn(app, 'ada@example.com')).status, 200)
  assert.equal(await count(app, `audit_log WHERE action = 'account.created'`), 1)
  assert.ok(!JSON.stringify(row).includes(PASSWORD))
})

test('one of twenty concurrent creations with one address, in any case, succeeds', async (t) => {
  const app = await startApp(t)
  const before = await count(app, 'users')
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      createAccount(app.services, {
        email: index % 2 ? 'ada@example.com' : 'ADA@EXAMPLE.COM',
        password: PASSWORD,
        name: '',
      }),
    ),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const result of results) {
    if (result.status === 'rejected') assert.ok(pointsAt('/email')(result.reason), result.reason)
  }
  assert.equal(await count(app, 'users'), before + 1)
})

test('an invalid address, a weak password and a name with line breaks are refused', async (t) => {
  const app = await startApp(t)
  const before = await count(app, 'users')
  const good = { email: 'ada@example.com', password: PASSWORD, name: 'Ada' }
  for (const email of [
    '',
    'ada',
    'ada@',
    ' ada@example.com',
    'ad\u0430@example.com',
    '"a b"@x.y',
  ]) {
    await assert.rejects(createAccount(app.services, { ...good, email }), pointsAt('/email'))
  }
  for (const password of ['', 'short', 'password', 'x'.repeat(1025), `${PASSWORD}\0`]) {
    await assert.rejects(createAccount(app.services, { ...good, password }), pointsAt('/password'))
  }
  for (const name of ['a\nb', 'x'.repeat(121)]) {
    await assert.rejects(createAccount(app.services, { ...good, name }), pointsAt('/name'))
  }
  assert.equal(await count(app, 'users'), before)
})
