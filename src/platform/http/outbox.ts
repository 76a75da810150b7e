/**
 * The outbox on the operator listener: the latest mails, as HTML or JSON. Mails may contain tokens,
 * so they are only shown to this machine, and not to pages of other origins (DNS rebinding).
 */
import { isIPv4 } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export interface OutboxMail {
  to: string
  subject: string
  /** Null once sent. */
  text: string | null
  status: string
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

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] as string)

function articleOf(mail: OutboxMail): string {
  const state = [mail.status, `${mail.tries} tries`, mail.last_error ?? ''].filter(Boolean)
  return `<article><h2>${escaped(mail.subject)}</h2>
<p>to ${escaped(mail.to)}, ${mail.created_at}: ${escaped(state.join(', '))}</p>
<pre>${escaped(mail.text ?? 'The text was deleted after the mail was sent.')}</pre></article>`
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
