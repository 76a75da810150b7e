/** Cancels commands that have not been sent: one on request, or those that have become void. */
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { Change, Origin } from '../../../platform/record/event.ts'
import { deviceChange, record, recordAll } from '../../../platform/record/record.ts'
import { readCommand } from './command.ts'
import * as store from './store.ts'

const cancellationOf = (
  workspaceId: string,
  deviceId: string,
  { id, name }: { id: string; name: string },
): Change =>
  deviceChange('command.cancelled', workspaceId, deviceId, {
    command_id: formatId('cmd', id),
    name,
  })

/** Idempotent: cancelling again succeeds, because a response may get lost. */
export async function cancelCommand(
  context: Context,
  deviceId: string,
  commandId: string,
): Promise<void> {
  const { db, feed, workspaceId } = context
  await db.transaction(async (trx) => {
    const row = await store.cancelCommandRow.first(trx, {
      workspaceId,
      deviceId,
      id: commandId,
      by: originOf(context).actor.id,
    })
    if (row === undefined) {
      const { status } = await readCommand({ db: trx, workspaceId }, deviceId, commandId)
      if (status === 'cancelled') return
      throw new Failure('invalid_transition', {
        detail: `The command is ${status}; only a pending one can become cancelled.`,
      })
    }
    await feed.announce(trx, 'command-end', commandId)
    await record(trx, originOf(context), cancellationOf(workspaceId, deviceId, row))
  })
}

/** The command that asks firmware to call `POST /devices/auth/credentials/rotate`. */
export const ROTATE_COMMAND = 'rotate_credentials'

/**
 * Cancels requests to rotate that have not been sent, in the transaction that removes all secrets
 * of the devices: new ones need no rotation.
 */
export async function cancelRotateCommands(
  { feed }: Pick<Services, 'feed'>,
  trx: Db,
  origin: Origin,
  devices: { workspaceId: string; deviceIds: readonly string[] },
): Promise<void> {
  const rows = await store.cancelPendingCommands.rows(trx, {
    ...devices,
    name: ROTATE_COMMAND,
    by: origin.actor.id,
  })
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await feed.announceAll(trx, 'command-end', ids)
  const changes = rows.map((row) => cancellationOf(devices.workspaceId, row.device_id, row))
  await recordAll(trx, origin, changes)
}
