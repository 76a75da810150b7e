/**
 * The outbox: a mail is written in the transaction of its change and sent after the commit, so a
 * rollback mails nobody and an unavailable server blocks nobody. Texts are encrypted while they
 * wait, since they may contain tokens.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { enqueue, taskKind } from '../../../platform/jobs/job.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { INSTALLATION } from '../../../platform/record/event.ts'
import type { RowKey } from '../../common/row-key.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import * as store from './store.ts'

export const SEND_MAIL = taskKind<RowKey>('mail.send')
/** With backoff, this takes most of a day. */
export const MAIL_TRIES = 12

/** Mails shown to the operator, newest first. */
const SHOWN = 100

export interface OutgoingMail {
  /** UUID of the workspace, or of the installation. */
  workspaceId: string
  /** In canonical form. */
  to: string
  /** One line. */
  subject: string
  text: string
  /** UUID of what it is about, if its text may have to be replaced. */
  id?: string
}

/** A mail as its operator reads it. */
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

export const mailEncryptionContext = (id: string): string => `mail_outbox ${id}`

/** The text of a mail; null once deleted. */
export const textOf = (
  keyring: Keyring,
  { id, sealed_text: encrypted }: Pick<store.MailRow, 'id' | 'sealed_text'>,
): string | null =>
  (encrypted && keyring.decrypt(encrypted, mailEncryptionContext(id))?.toString()) ?? null

const encrypted = (keyring: Keyring, id: string, text: string): Buffer =>
  keyring.encrypt(Buffer.from(text), mailEncryptionContext(id))

/** Queues a mail in the transaction of its change. */
export async function queueMail(
  { keyring }: { keyring: Keyring },
  trx: Db,
  { workspaceId, to, subject, text, id = newUuid() }: OutgoingMail,
): Promise<void> {
  const encryptedText = encrypted(keyring, id, text)
  await store.insertMail.run(trx, { workspaceId, id, to, subject, encryptedText })
  await sendQueued(trx, { workspaceId, id })
}

/** Queues a mail of the service itself to one person. */
export const mailPerson = (
  services: { keyring: Keyring },
  trx: Db,
  to: string,
  subject: string,
  lines: readonly string[],
): Promise<void> =>
  queueMail(services, trx, {
    workspaceId: INSTALLATION,
    to,
    subject: `${subject} (Mooring)`,
    text: [...lines, ''].join('\n'),
  })

/** Replaces the text of a mail that was not sent; one that was sent stays as it is. */
export async function replaceText(
  { keyring }: { keyring: Keyring },
  trx: Db,
  { workspaceId, id, text }: { workspaceId: string; id: string; text: string },
): Promise<void> {
  await store.replaceText.run(trx, { workspaceId, id, encryptedText: encrypted(keyring, id, text) })
}

/** Has a queued mail sent after the commit. */
export const sendQueued = (trx: Db, mail: RowKey): Promise<void> =>
  enqueue(trx, SEND_MAIL, mail, { key: mail.id, maxAttempts: MAIL_TRIES })

/** The installation's latest mails, for its operator. */
export async function listOutbox(services: { db: Db; keyring: Keyring }): Promise<OutboxMail[]> {
  const rows = await store.newestMail.rows(services.db, { limit: SHOWN })
  return rows.map(({ id, sealed_text, ...row }) => ({
    ...row,
    text: textOf(services.keyring, { id, sealed_text }),
    created_at: timestamp(row.created_at),
    ended_at: timestampOrNull(row.ended_at),
  }))
}
