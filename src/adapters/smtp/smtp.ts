/** Mail through an SMTP server (RFC 5321), by nodemailer. */
import type { Mailer } from './port.ts'

/** Excludes characters that could end a header or an address. */
const ADDRESS = /^[^\p{C}\s,;:<>()[\]\\"]+@[^\p{C}\s,;:<>()[\]\\"@]+$/u
const LINE = /^[^\p{C}\p{Zl}\p{Zp}]{1,300}$/u

const TIMEOUT_MS = 10_000

/**
 * @param url `smtp://` or `smtps://`, with user and password if required
 * @param from the sender, bare or as `Name <address>`
 */
export function createSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  // Loaded with the first mail: most starts send none.
  const openTransport = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      dnsTimeout: TIMEOUT_MS,
      // Our mails are plain text: nothing is read from files or fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let opened: ReturnType<typeof openTransport> | undefined
  return {
    async send({ id, to, subject, text }) {
      if (!ADDRESS.test(to)) throw new Error('the address of a mail is not a plain one')
      if (!LINE.test(subject)) throw new Error('the subject of a mail is not one line')
      opened ??= openTransport()
      const transport = await opened
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@mooring>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    },
  }
}
