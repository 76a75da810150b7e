/** Queries on waiting and sent mail. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type MailRow = RowOf<typeof findWaiting>

export const insertMail = sql('mail_outbox.insert')`
  INSERT INTO mail_outbox (workspace_id, id, recipient, subject, sealed_text)
  VALUES ($workspaceId, $id, $to, $subject, $encryptedText)`
export const findWaiting = sql('mail_outbox.waiting')`
  SELECT id, recipient, subject, sealed_text FROM mail_outbox
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'queued'`
/** `sent` deletes the text. */
export const finishMail = sql('mail_outbox.finish')`
  UPDATE mail_outbox
  SET status = $status, ended_at = now(), last_error = NULL, tries = tries + 1,
      sealed_text = CASE $status WHEN 'sent' THEN NULL ELSE sealed_text END
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'queued'`
export const replaceText = sql('mail_outbox.replace_text')`
  UPDATE mail_outbox SET sealed_text = $encryptedText
  WHERE workspace_id = $workspaceId AND id = $id AND status <> 'sent'`
/** Counts a failed attempt; after `most` of them the mail is given up. */
export const noteFailure = sql('mail_outbox.note_failure')`
  UPDATE mail_outbox
  SET tries = tries + 1, last_error = $error,
      status = CASE WHEN tries + 1 >= $maxTries THEN 'failed' ELSE status END,
      ended_at = CASE WHEN tries + 1 >= $maxTries THEN now() END
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'queued'`
/** Mails of all workspaces, for the operator only. */
export const newestMail = sql('mail_outbox.newest')`
  SELECT id, recipient AS to, subject, sealed_text, status, tries, last_error, created_at, ended_at
  FROM mail_outbox ORDER BY id DESC LIMIT $limit`
/** Gives up mails whose every attempt was interrupted. */
export const giveUpOld = sql('mail_outbox.give_up')`
  UPDATE mail_outbox SET status = 'failed', ended_at = now()
  WHERE status = 'queued' AND created_at <= now() - make_interval(days => $days)`
/** @returns the number deleted */
export const deleteEndedMail = sql('mail_outbox.delete_ended')`
  WITH old AS (
    SELECT workspace_id, id FROM mail_outbox WHERE ended_at <= now() - make_interval(days => $days)
    ORDER BY ended_at LIMIT $limit FOR UPDATE SKIP LOCKED
  )
  DELETE FROM mail_outbox m USING old WHERE m.workspace_id = old.workspace_id AND m.id = old.id
  RETURNING 1`
