/** Mails as operators see them: whether they went out, and never what is in them. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { INSTALLATION } from '../../../../src/platform/record/event.ts'
import type { TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { mailTo } from '../../../support/outbox.ts'
import { person } from '../../../support/sign-in.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { operatorOf, type Operator } from '../operators.ts'

describe('an operator of a service whose mail server does not respond', () => {
  const environment = {
    MOORING_SMTP_URL: 'smtp://127.0.0.1:1',
    MOORING_MAIL_FROM: 'mooring@example.com',
  }
  const get = useApp({ environment })
  let app: TestApp
  let operator: Operator

  before(async () => {
    app = get()
    operator = await operatorOf(app)
  })

  test('never sees a link: it is mailed to the account', async () => {
    const someone = await person(app)
    const { status, body } = await operator.call('POST', `/accounts/${someone.id}/password-link`)
    assert.deepEqual([status, body], [200, { mailed: true, url: null }])
    await until('the mail', async () => (await mailTo(app, someone.email)).length > 0)
    const { items } = (await operator.call('GET', '/mails?status=queued')).body
    assert.ok(items.some(({ to }: { to: string }) => to === someone.email))
  })

  async function givenUp(): Promise<string> {
    const id = newUuid()
    const text = app.services.keyring.encrypt(Buffer.from('secret link'), `mail_outbox ${id}`)
    await sql(
      app.database,
      `INSERT INTO mail_outbox (workspace_id, id, recipient, subject, sealed_text, status, ended_at)
       VALUES ($1, $2, 'lost@example.com', 'Lost', $3, 'failed', now())`,
      [INSTALLATION, id, text],
    )
    return formatId('mail', id)
  }

  test('has a mail sent again: one of twenty who ask at once', async () => {
    const id = await givenUp()
    const ask = () => operator.call('POST', `/mails/${id}/retry`)
    const responses = await Promise.all(Array.from({ length: 20 }, ask))
    const done = responses.filter(({ status }) => status === 204)
    assert.equal(done.length, 1)
    const text = `SELECT request_id FROM audit_log WHERE action = 'mail.retried'`
    const entries = await sql<{ request_id: string }>(app.database, text)
    assert.deepEqual(
      entries.map(({ request_id }) => request_id),
      [done[0]?.headers['x-request-id']],
    )
    const others = responses.filter(({ status }) => status !== 204)
    assert.ok(others.every(({ body }) => body.code === 'invalid_transition'))
    const listed = await operator.call('GET', '/mails')
    assert.ok(listed.body.items.some((mail: { id: string }) => mail.id === id))
    assert.ok(!listed.text.includes('secret link'))
    const nobody = await operator.call('POST', `/mails/${formatId('mail', newUuid())}/retry`)
    assert.equal(nobody.body.code, 'mail_not_found')
  })
})
