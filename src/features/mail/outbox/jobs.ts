/**
 * Sends mail from the outbox, at least once: if a process dies between the server's acceptance and
 * its own commit, the mail is sent again with the same Message-ID.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import { messageOf } from '../../../platform/lib/system-errors.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { exhaust } from '../../../platform/database/sql.ts'
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import type { RowKey } from '../../common/row-key.ts'
import type { Mailer } from '../../../adapters/smtp/port.ts'
import { MAIL_TRIES, SEND_MAIL, textOf } from './outbox.ts'
import * as store from './store.ts'

/** Longer than all attempts together. */
const GIVE_UP_DAYS = 3
/** The maximum lifetime of an invitation. */
const ENDED_DAYS = 30
const BATCH = 1_000

interface Services {
  db: Db
  keyring: Keyring
}

async function send(
  { db, keyring }: Services,
  mailer: Mailer | undefined,
  onKept: (mail: { to: string; subject: string }) => void,
  { workspaceId, id }: RowKey,
): Promise<void> {
  const row = await store.findWaiting.first(db, { workspaceId, id })
  if (row === undefined) return
  const { recipient: to, subject } = row
  if (mailer === undefined) {
    await store.finishMail.run(db, { workspaceId, id, status: 'kept' })
    return onKept({ to, subject })
  }
  try {
    await mailer.send({ id, to, subject, text: textOf(keyring, row) ?? '' })
  } catch (error) {
    await store.noteFailure.run(db, {
      workspaceId,
      id,
      error: messageOf(error).slice(0, 300),
      maxTries: MAIL_TRIES,
    })
    throw error
  }
  await store.finishMail.run(db, { workspaceId, id, status: 'sent' })
}

async function deleteOld(db: Db): Promise<void> {
  await store.giveUpOld.run(db, { days: GIVE_UP_DAYS })
  await exhaust(store.deleteEndedMail, db, { days: ENDED_DAYS, limit: BATCH })
}

/**
 * @param mailer undefined: mail stays in the outbox
 * @param onKept called for each such mail, without its text
 */
export const createMailTasks = (
  services: Services,
  mailer: Mailer | undefined,
  onKept: (mail: { to: string; subject: string }) => void,
): Task[] => [
  taskOf(SEND_MAIL, (key) => send(services, mailer, onKept, key)),
  { name: 'mail.forget', everyMs: 3_600_000, run: () => deleteOld(services.db) },
]
