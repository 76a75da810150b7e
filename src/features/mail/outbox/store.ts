/** Queries on waiting and sent mail. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export type MailStatus = 'queued' | 'sent' | 'kept' | 'failed'

export interface MailRow {
  workspace_id: string
  id: string
  recipient: string
  subject: string
  /** Null once sent. */
  sealed_text: Buffer | null
  status: MailStatus
  tries: number
  last_error: string | null
  created_at: number
  ended_at: number | null
}

const columns = `workspace_id, id, recipient, subject, sealed_text, status, tries, last_error,
  created_at, ended_at`

const insert = statement(
  'mail_outbox.insert',
  `INSERT INTO mail_outbox (workspace_id, id, recipient, subject, sealed_text)
   VALUES ($1, $2, $3, $4, $5)`,
)
const waiting = statement(
  'mail_outbox.waiting',
  `SELECT ${columns} FROM mail_outbox WHERE workspace_id = $1 AND id = $2 AND status = 'queued'`,
)
const finish = statement(
  'mail_outbox.finish',
  `UPDATE mail_outbox
   SET status = $3, ended_at = now(), last_error = NULL, tries = tries + 1,
       sealed_text = CASE $3 WHEN 'sent' THEN NULL ELSE sealed_text END
   WHERE workspace_id = $1 AND id = $2 AND status = 'queued'`,
)
const noteFailure = statement(
  'mail_outbox.note_failure',
  `UPDATE mail_outbox
   SET tries = tries + 1, last_error = $3,
       status = CASE WHEN tries + 1 >= $4 THEN 'failed' ELSE status END,
       ended_at = CASE WHEN tries + 1 >= $4 THEN now() END
   WHERE workspace_id = $1 AND id = $2 AND status = 'queued'`,
)
const newest = statement(
  'mail_outbox.newest',
  `SELECT ${columns} FROM mail_outbox ORDER BY id DESC LIMIT $1`,
)
const giveUp = statement(
  'mail_outbox.give_up',
  `UPDATE mail_outbox SET status = 'failed', ended_at = now()
   WHERE status = 'queued' AND created_at <= now() - make_interval(days => $1)`,
)
const deleteEnded = statement(
  'mail_outbox.delete_ended',
  `WITH old AS (
     SELECT workspace_id, id FROM mail_outbox WHERE ended_at <= now() - make_interval(days => $1)
     ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
   )
   DELETE FROM mail_outbox m USING old WHERE m.workspace_id = old.workspace_id AND m.id = old.id
   RETURNING 1`,
)

export async function insertMail(
  trx: Db,
  mail: { workspaceId: string; id: string; to: string; subject: string; sealedText: Buffer },
): Promise<void> {
  const { workspaceId, id, to, subject, sealedText } = mail
  await trx.query(insert, [workspaceId, id, to, subject, sealedText])
}

export async function findWaiting(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<MailRow | undefined> {
  return (await db.query<MailRow>(waiting, [workspaceId, id]))[0]
}

/** `sent` deletes the text. */
export async function finishMail(
  db: Db,
  { workspace_id: workspaceId, id }: MailRow,
  status: 'sent' | 'kept',
): Promise<void> {
  await db.query(finish, [workspaceId, id, status])
}

/** Counts a failed attempt; after `most` of them the mail is given up. */
export async function writeFailure(
  db: Db,
  { workspace_id: workspaceId, id }: MailRow,
  error: string,
  most: number,
): Promise<void> {
  await db.query(noteFailure, [workspaceId, id, error, most])
}

/** Of all workspaces, for the operator only. */
export const newestMail = (db: Db, limit: number): Promise<MailRow[]> => db.query(newest, [limit])

/** Gives up mails whose every attempt was interrupted. */
export async function giveUpOld(db: Db, days: number): Promise<void> {
  await db.query(giveUp, [days])
}

/** @returns the number deleted */
export const deleteEndedMail = async (db: Db, days: number, limit: number): Promise<number> =>
  (await db.query(deleteEnded, [days, limit])).length
