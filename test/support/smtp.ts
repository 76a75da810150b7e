/** A mail server on loopback that keeps what it is given, and can be made to refuse. */
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { TestContext } from 'node:test'
import { defer } from './cleanup.ts'

export interface TakenMail {
  from: string
  to: string[]
  /** Headers and body as they came. */
  raw: string
}

export interface TestMailServer {
  /** `smtp://…` */
  url: string
  taken: TakenMail[]
  /** Refuses so many mails from now on. */
  refuse(count: number): void
}

const addressesOf = ({ envelope }: SMTPServerSession): Omit<TakenMail, 'raw'> => ({
  from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
  to: envelope.rcptTo.map(({ address }) => address),
})

export async function startMailServer(t: Pick<TestContext, 'after'>): Promise<TestMailServer> {
  const taken: TakenMail[] = []
  let refusals = 0
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'mooring' && password === 'p/w'
        ? done(null, { user: username })
        : done(new Error('wrong password')),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusals > 0) {
          refusals -= 1
          return done(Object.assign(new Error('come back later'), { responseCode: 451 }))
        }
        taken.push({ ...addressesOf(session), raw: Buffer.concat(chunks).toString() })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  defer(t, () => new Promise<void>((resolve) => server.close(resolve)))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `smtp://mooring:p%2Fw@127.0.0.1:${port}`,
    taken,
    refuse(count) {
      refusals = count
    },
  }
}
