/** Mail: sent after the commit, at least once, through a real server; kept where there is none. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { suite, test } from 'node:test'
import { INSTALLATION } from '../../../../src/platform/record/event.ts'
import { createMailTasks } from '../../../../src/features/mail/outbox/jobs.ts'
import { queueMail } from '../../../../src/features/mail/outbox/outbox.ts'
import type { Mailer } from '../../../../src/adapters/smtp/port.ts'
import { as, callUrl, startApp, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { mailTo } from '../../../support/outbox.ts'
import { startMailServer } from '../../../support/smtp.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const write = (app: TestApp, to: string, text = 'Hello', subject = 'A mail') =>
  app.database.transaction((trx) =>
    queueMail(app.services, trx, { workspaceId: INSTALLATION, to, subject, text }),
  )

const isOver = (app: TestApp, to: string, status: string) =>
  until(`the mail to ${to} is ${status}`, async () => {
    const [mail] = await mailTo(app, to)
    return mail?.status === status && mail
  })

/** Makes what waits for its next try due at once. */
const expedite = (app: TestApp) =>
  sql(
    app.database,
    'SELECT graphile_worker.reschedule_jobs(ARRAY(SELECT id FROM graphile_worker.jobs WHERE attempts > 0), run_at => now())',
  )

test('an invitation goes out through the mail server, a failed try is repeated', async (t) => {
  const server = await startMailServer(t)
  const app = await startApp(t, {
    environment: {
      MOORING_SMTP_URL: server.url,
      MOORING_MAIL_FROM: 'Mooring <mooring@example.com>',
    },
  })
  server.refuse(1)
  const name = 'Grüße\u2028Bcc: x@example.com'
  await app.call('PATCH', `/workspaces/${app.seed.id}`, {
    as: as.user(app.seed.owner.token),
    body: { name },
  })
  const invited = await app.call('POST', `/workspaces/${app.seed.id}/invitations`, {
    as: as.user(app.seed.owner.token),
    body: { email: 'ada@example.com', role: 'viewer' },
  })
  assert.equal(invited.status, 201)
  await until('a try has failed', async () => (await mailTo(app, 'ada@example.com'))[0]?.last_error)
  await expedite(app)
  const mail = await isOver(app, 'ada@example.com', 'sent')
  assert.deepEqual([mail.text, mail.tries], [null, 2], 'the text of a sent mail is deleted')
  assert.equal(server.taken.length, 1)
  const [{ from, to, raw } = { from: '', to: [], raw: '' }] = server.taken
  assert.deepEqual([from, to], ['mooring@example.com', ['ada@example.com']])
  const head = raw.slice(0, raw.indexOf('\r\n\r\n'))
  assert.doesNotMatch(head, /^bcc:/im)
  assert.match(head, /^Message-ID: <[0-9a-f-]{36}@mooring>\r$/m)
  assert.match(head, /^Auto-Submitted: auto-generated\r$/m)
  assert.match(raw, /invite_/)
  const [row] = await sql<{ left: number }>(
    app.database,
    'SELECT count(*) AS left FROM mail_outbox WHERE sealed_text IS NOT NULL',
  )
  assert.equal(Number(row?.left), 0)
})

suite('without a mail server', () => {
  const get = useApp()

  test('mail is kept in the outbox, which shows it to this machine alone', async () => {
    const app = get()
    await write(app, 'kept@example.com', '<b>token</b> & more')
    await isOver(app, 'kept@example.com', 'kept')
    const url = `http://127.0.0.1:${app.app.ports.operator}/outbox`
    const json = await callUrl(url, 'GET')
    assert.equal(json.status, 200)
    const shown = json.body.items.find(({ to }: { to: string }) => to === 'kept@example.com')
    assert.deepEqual([shown.text, shown.status], ['<b>token</b> & more', 'kept'])
    assert.equal(json.headers['cache-control'], 'no-store')
    const page = await callUrl(url, 'GET', { headers: { accept: 'text/html' } })
    assert.match(page.text, /&lt;b&gt;token&lt;\/b&gt; &amp; more/)
    assert.match(page.text, /to kept@example\.com, \S+: not sent: no mail server was configured</)
    assert.equal(page.headers['content-security-policy'], "default-src 'none'")
    const asked = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request(url, { headers: { host } }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        sent.on('error', reject).end()
      })
    assert.equal(await asked('localhost:8081'), 200)
    assert.equal(await asked('rebound.example.com'), 404, 'a page of another site reads nothing')
  })

  test('the mail of a change that is rolled back is never written', async () => {
    const app = get()
    await assert.rejects(
      app.database.transaction(async (trx) => {
        const mail = { workspaceId: INSTALLATION, subject: 'No', text: 'No' }
        await queueMail(app.services, trx, { ...mail, to: 'nobody@example.com' })
        throw new Error('no')
      }),
    )
    assert.deepEqual(await mailTo(app, 'nobody@example.com'), [])
  })
})

suite('sending', () => {
  const get = useApp()

  /** Runs the task manually on a mail that nothing else works on. */
  async function sendBy(app: TestApp, mailer: Mailer, to: string, times = 1): Promise<void> {
    await sql(
      app.database,
      `INSERT INTO mail_outbox (workspace_id, id, recipient, subject)
       VALUES ($1, gen_random_uuid(), $2, 'By hand')`,
      [INSTALLATION, to],
    )
    const [row] = await sql<{ id: string }>(
      app.database,
      'SELECT id FROM mail_outbox WHERE recipient = $1',
      [to],
    )
    const tasks = createMailTasks(app.services, mailer, () => {})
    const { signal } = new AbortController()
    for (let time = 0; time < times; time += 1) {
      await tasks[0]
        ?.run({ workspaceId: INSTALLATION, id: row?.id }, signal)
        .catch((error: unknown) => error)
    }
  }

  test('is given up after a limited number of attempts, with the reason', async () => {
    const app = get()
    let tries = 0
    const away: Mailer = {
      send() {
        tries += 1
        return Promise.reject(new Error('the server is away'))
      },
    }
    await sendBy(app, away, 'lost@example.com', 15)
    const [mail] = await mailTo(app, 'lost@example.com')
    assert.deepEqual([tries, mail?.status, mail?.last_error], [12, 'failed', 'the server is away'])
  })

  test('is done once when nothing fails, however often it is asked for', async () => {
    const app = get()
    const ids: string[] = []
    const mailer: Mailer = {
      send({ id }) {
        ids.push(id)
        return Promise.resolve()
      },
    }
    await sendBy(app, mailer, 'once@example.com', 3)
    assert.equal(ids.length, 1)
  })

  test('finished mails are deleted after a month, abandoned ones after days', async () => {
    const app = get()
    const tasks = createMailTasks(app.services, undefined, () => {})
    await sql(
      app.database,
      `INSERT INTO mail_outbox (workspace_id, id, recipient, subject, status, created_at, ended_at)
       SELECT $1, gen_random_uuid(), r, 'Old', s, now() - interval '40 days',
              CASE s WHEN 'queued' THEN NULL ELSE now() - interval '31 days' END
       FROM (VALUES ('old@example.com', 'kept'), ('stuck@example.com', 'queued')) AS v (r, s)`,
      [INSTALLATION],
    )
    await tasks[1]?.run({}, new AbortController().signal)
    assert.deepEqual(await mailTo(app, 'old@example.com'), [])
    assert.equal((await mailTo(app, 'stuck@example.com'))[0]?.status, 'failed')
  })
})
