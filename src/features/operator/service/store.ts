/** Queries on the outbox for operators. */
import { sql } from '../../../platform/database/sql.ts'

export const pageOfMails = sql('operator.mails')`
  SELECT id, recipient AS to, subject, status, tries, last_error, created_at, ended_at
  FROM mail_outbox
  WHERE ($after?::uuid IS NULL OR id < $after) AND ($status?::text IS NULL OR status = $status)
  ORDER BY id DESC LIMIT $limit`
/** @returns nothing unless its text is still there and nobody has it sent again already */
export const requeueMail = sql('operator.requeue_mail')`
  UPDATE mail_outbox SET status = 'queued', tries = 0, last_error = NULL, ended_at = NULL
  WHERE id = $id AND status IN ('kept', 'failed') AND sealed_text IS NOT NULL
  RETURNING workspace_id, recipient, subject`
export const findMail = sql('operator.mail')`
  SELECT status FROM mail_outbox WHERE id = $id ORDER BY id LIMIT 1`
