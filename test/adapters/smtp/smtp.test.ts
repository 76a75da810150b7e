/** The mails handed to a mail server: one mail to one address. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSmtpMailer } from '../../../src/adapters/smtp/smtp.ts'
import { startMailServer } from '../../support/smtp.ts'

describe('a mail that is more than it seems', () => {
  test('is refused before anything is sent', async (t) => {
    const server = await startMailServer(t)
    const mailer = createSmtpMailer({ url: server.url, from: 'mooring@example.com' })
    const good = { id: '1', to: 'a@example.com', subject: 'Hello', text: 'Hello' }
    for (const bad of [
      { to: 'a@example.com\r\nBcc: b@example.com' },
      { to: 'a@example.com, b@example.com' },
      { to: 'Ada <a@example.com>' },
      { to: '' },
      { subject: 'Hello\r\nBcc: b@example.com' },
      { subject: 'Hello\u2028there' },
      { subject: '' },
    ]) {
      await assert.rejects(mailer.send({ ...good, ...bad }), /of a mail is not/)
    }
    assert.equal(server.taken.length, 0)
    await mailer.send(good)
    assert.deepEqual(server.taken[0]?.to, ['a@example.com'])
  })
})
