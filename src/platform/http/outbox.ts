/**
 * The outbox on the operator listener: the latest mails, as HTML or JSON. Mails may contain tokens,
 * so they are only shown to this machine, and not to pages of other origins (DNS rebinding).
 */
import { isIPv4 } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { escaped } from './html.ts'

export interface OutboxMail {
  to: string
  subject: string
  /** Null once sent. */
  text: string | null
  status: 'queued' | 'sent' | 'kept' | 'failed'
  tries: number
  last_error: string | null
  created_at: string
  ended_at: string | null
}

const LOCAL_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

export function isLocal({ socket, headers }: FastifyRequest): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const loopback = peer === '::1' || (isIPv4(peer) && peer.startsWith('127.'))
  return loopback && LOCAL_NAMES.has((headers.host ?? '').replace(/:\d+$/, ''))
}

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

/** `GET /outbox`: HTML for browsers, JSON otherwise. */
export function addOutbox(app: FastifyInstance, list: () => Promise<OutboxMail[]>): void {
  app.get('/outbox', async (request, reply) => {
    if (!isLocal(request)) {
      return reply.code(404).send({ message: 'The outbox is available only on this machine.' })
    }
    const mails = await list()
    void reply.headers({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    if (!(request.headers.accept ?? '').includes('text/html')) return { items: mails }
    return reply.type('text/html; charset=utf-8').send(pageOf(mails))
  })
}
