/** The outbox on the operator listener: the latest mails, as HTML or JSON. */
import type { OutboxMail } from '../features/mail/outbox/outbox.ts'
import { escaped } from '../platform/http/html.ts'
import type { LocalPage } from '../platform/http/operator.ts'

/**
 * The lines that are nothing but an address become links: names that people gave stand within
 * sentences, and the address of a call to make is no page.
 */
const linked = (text: string): string =>
  escaped(text).replaceAll(
    /^https?:\/\/\S+$/gm,
    (link) => `<a href="${link}" target="_blank" rel="noopener noreferrer">${link}</a>`,
  )

const attemptsOf = (tries: number): string => (tries === 1 ? '1 attempt' : `${tries} attempts`)

function stateOf({ status, tries, last_error: error, ended_at: endedAt }: OutboxMail): string {
  if (status === 'sent') return `sent at ${endedAt}`
  if (status === 'kept') return 'not sent: no mail server was configured'
  const reason = error === null ? '' : `: ${error}`
  if (status === 'failed') return `not sent, given up after ${attemptsOf(tries)}${reason}`
  if (tries === 0) return 'not sent yet'
  return `not sent yet, to be tried again after ${attemptsOf(tries)}${reason}`
}

function articleOf(mail: OutboxMail): string {
  const { to, subject, text, created_at: createdAt } = mail
  const shown = text === null ? 'The text was deleted after the mail was sent.' : linked(text)
  return `<article><h2>${escaped(subject)}</h2>
<p>to ${escaped(to)}, ${createdAt}: ${escaped(stateOf(mail))}</p>
<pre>${shown}</pre></article>`
}

const pageOf = (mails: readonly OutboxMail[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Outbox</title><h1>Outbox</h1>
${mails.length === 0 ? '<p>No mail yet.</p>' : mails.map(articleOf).join('\n')}
</html>
`

/** `GET /outbox`: HTML for browsers, JSON otherwise. Mails may contain tokens. */
export const outboxPage = (list: () => Promise<OutboxMail[]>): LocalPage => ({
  name: 'outbox',
  async respond(request, reply) {
    const mails = await list()
    void reply.headers({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    if (!(request.headers.accept ?? '').includes('text/html')) return { items: mails }
    return reply.type('text/html; charset=utf-8').send(pageOf(mails))
  },
})
