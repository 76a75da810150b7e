/**
 * The outbox, as operators see it in the console: each mail, its recipient, and whether it was
 * sent. Texts stay hidden, because they contain links that open accounts.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { INSTALLATION } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import type { RowOf } from '../../../platform/database/sql.ts'
import { readPage } from '../../common/paging.ts'
import type { Paged } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'
import { sendQueued } from '../../mail/outbox/outbox.ts'
import { type ListMails, MailView } from './schema.ts'
import * as store from './store.ts'

type Own = Context<UserCaller>

const viewOf = rowView<RowOf<typeof store.pageOfMails>>()(MailView)

/** Newest first. */
export async function listMails(context: Own, query: ListMails): Promise<Paged<MailView>> {
  const { status = null } = query
  const page = readPage(context, query, `installation-mails ${status ?? ''}`)
  const rows = await store.pageOfMails.rows(context.db, { status, ...page.asked })
  return page.of(rows, ({ id }) => id, viewOf)
}

/**
 * Sends a mail again that was given up, or kept for want of a mail server.
 * @throws Failure mail_not_found, invalid_transition
 */
export function retryMail({ db, ...context }: Own, id: string): Promise<void> {
  return db.transaction(async (trx) => {
    const row = await store.requeueMail.first(trx, { id })
    if (row === undefined) {
      const { status } = found(await store.findMail.first(trx, { id }), 'mail_not_found')
      const detail =
        status === 'sent'
          ? 'The mail was sent, and its text deleted.'
          : `The mail is ${status}; only one that was given up or kept can be sent again.`
      throw new Failure('invalid_transition', { detail })
    }
    await sendQueued(trx, { workspaceId: row.workspace_id, id })
    await record(trx, originOf(context), {
      workspaceId: INSTALLATION,
      action: 'mail.retried',
      resource: { kind: 'mail', id: formatId('mail', id) },
      detail: { to: row.recipient, subject: row.subject },
    })
  })
}
