/** Reads the mail of a service as its operator. */
import { listOutbox, type OutboxMail } from '../../src/features/mail/outbox/outbox.ts'
import type { TestApp } from './app.ts'

/** The mails to an address, newest first. */
export async function mailTo(app: TestApp, address: string): Promise<OutboxMail[]> {
  return (await listOutbox(app.services)).filter(({ to }) => to === address)
}

/** The token in the newest mail to an address. */
export async function mailedToken(app: TestApp, address: string): Promise<string> {
  const [mail] = await mailTo(app, address)
  const token = /invite_\w+/.exec(mail?.text ?? '')?.[0]
  if (token === undefined) throw new Error(`no token was mailed to ${address}`)
  return token
}
