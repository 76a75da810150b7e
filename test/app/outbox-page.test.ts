/** The page of the outbox: the text that a person reads, and the links that can be followed. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import Fastify from 'fastify'
import { outboxPage } from '../../src/app/outbox-page.ts'
import type { OutboxMail } from '../../src/features/mail/outbox/outbox.ts'

const MAIL: OutboxMail = {
  to: 'ada@example.com',
  subject: 'An invitation',
  text: 'Hello',
  status: 'kept',
  tries: 1,
  last_error: null,
  created_at: '2026-11-28T10:00:00.000Z',
  ended_at: '2026-11-28T10:00:01.000Z',
}

async function pageOf(t: TestContext, ...changes: Partial<OutboxMail>[]): Promise<string> {
  const app = Fastify()
  t.after(() => app.close())
  const mails = changes.map((change) => ({ ...MAIL, ...change }))
  app.get('/outbox', outboxPage(() => Promise.resolve(mails)).respond)
  const headers = { host: 'localhost', accept: 'text/html' }
  const response = await app.inject({ url: '/outbox', headers })
  assert.equal(response.headers['content-security-policy'], "default-src 'none'")
  return response.body
}

const linksOf = (page: string): string[] =>
  [...page.matchAll(/<a href="([^"]*)"([^>]*)>/g)].map(([, href = '', rest = '']) => {
    assert.match(rest, /rel="noopener noreferrer"/)
    return href
  })

test('an address on a line of its own is a link', async (t) => {
  const page = await pageOf(t, {
    text: 'Follow this link:\n\nhttps://iot.example.com/console/join#token=a&b=1\n\nOr not.\n',
  })
  assert.deepEqual(linksOf(page), ['https://iot.example.com/console/join#token=a&amp;b=1'])
})

test('no other text is a link', async (t) => {
  const lines = [
    'POST http://iot.example.com/api/v1/invitations/accept {"token":"x"}',
    'The workspace "https://evil.example.com" invites you.',
    'https://evil.example.com is a name.',
    'javascript:alert(1)',
    'file:///etc/passwd',
    '//evil.example.com',
  ]
  assert.deepEqual(linksOf(await pageOf(t, { text: lines.join('\n') })), [])
})

test('an address does not end its attribute', async (t) => {
  const page = await pageOf(t, { text: `https://a.example.com/"onclick="x'<b>` })
  assert.deepEqual(linksOf(page), ['https://a.example.com/&quot;onclick=&quot;x&#39;&lt;b&gt;'])
  assert.ok(!page.includes('"onclick'))
})

test('the state of a mail is a plain sentence', async (t) => {
  const error = { last_error: 'connect ECONNREFUSED' }
  const page = await pageOf(
    t,
    { status: 'kept' },
    { status: 'sent', text: null },
    { status: 'queued', tries: 0 },
    { status: 'queued', tries: 2, ...error },
    { status: 'failed', tries: 12, ...error },
    { status: 'failed', tries: 1 },
  )
  const states = [...page.matchAll(/<p>to \S+ \S+Z: (.*)<\/p>/g)].map(([, state]) => state)
  assert.deepEqual(states, [
    'not sent: no mail server was configured',
    'sent at 2026-11-28T10:00:01.000Z',
    'not sent yet',
    'not sent yet, to be tried again after 2 attempts: connect ECONNREFUSED',
    'not sent, given up after 12 attempts: connect ECONNREFUSED',
    'not sent, given up after 1 attempt',
  ])
})
