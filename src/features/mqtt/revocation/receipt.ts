/** The rules of receipts: read, awaited, requested. */
import type { Context } from '../../../context.ts'
import { longPoll } from '../../../platform/database/long-poll.ts'
import { found } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { rowView } from '../../common/row-view.ts'
import { timestamp } from '../../common/shapes.ts'
import { openReceipt } from './receipt-issue.ts'
import { ReceiptNode, type ReceiptView } from './schema.ts'
import * as store from './store.ts'

const viewOfNode = rowView<store.ReceiptNode>()(ReceiptNode, {
  problem: (node) => (node.verified_at === null ? node.problem : null),
})

async function read(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  receiptId: string,
): Promise<ReceiptView> {
  const row = await store.findReceipt.first(db, { workspaceId, id: receiptId })
  const receipt = found(row, 'mqtt_receipt_not_found')
  const nodes = await store.findReceiptNodes.rows(db, { workspaceId, receiptId })
  return {
    id: formatId('rcp', receipt.id),
    workspace_id: formatId('ws', receipt.workspace_id),
    reason: receipt.reason,
    subject: receipt.subject,
    requested_at: timestamp(receipt.requested_at),
    complete: nodes.every((node) => node.verified_at !== null || node.gone_at !== null),
    nodes: nodes.map(viewOfNode),
  }
}

/** Reads a receipt; while it is incomplete, waits without holding a connection. */
export async function getReceipt(
  context: Context,
  receiptId: string,
  waitSeconds: number,
): Promise<ReceiptView> {
  return longPoll(context, {
    ref: receiptId,
    waitSeconds,
    read: () => read(context, receiptId),
    isSettled: ({ complete }) => complete,
  })
}

/** For changes without a receipt: checks every session of the workspace, everywhere. */
export function askReceipt(context: Context): Promise<ReceiptView> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    const revocation = { workspaceId, reason: 'asked', subject: null } as const
    const id = await openReceipt(context, trx, revocation)
    return read({ db: trx, workspaceId }, id)
  })
}
