/** The device's side of commands over HTTP: fetches open ones and answers. */
import type { DeviceCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { requireSmall } from '../../common/json-object.ts'
import { readCommand } from './command.ts'
import { writeResponses } from './command-end.ts'
import { MAX_OPEN_COMMANDS } from './command-issue.ts'
import { messageOf } from './command-view.ts'
import { openCommands, takePending } from './store.ts'
import type { AckCommand, AckedCommand, SentCommands } from './schema.ts'

/** Includes sent commands until they are answered, because a response may get lost. */
export async function takeOwnCommands({
  db,
  caller,
}: Context<DeviceCaller>): Promise<SentCommands> {
  const rows = await db.transaction(async (trx) => {
    await takePending(trx, [caller], MAX_OPEN_COMMANDS)
    return openCommands.rows(trx, { ...caller, limit: MAX_OPEN_COMMANDS })
  })
  return { items: rows.map(messageOf) }
}

/** Idempotent: answering again succeeds and changes nothing. */
export async function ackOwnCommand(
  { db, feed, caller }: Context<DeviceCaller>,
  commandId: string,
  { ok, result, error }: AckCommand,
): Promise<AckedCommand> {
  const { workspaceId, deviceId } = caller
  if (result !== undefined) requireSmall('/result', result)
  const response = {
    workspaceId,
    deviceId,
    commandId,
    ok,
    result: result === undefined ? null : JSON.stringify(result),
    error: ok ? null : (error ?? null),
  }
  return db.transaction(async (trx) => {
    await writeResponses({ db: trx, feed }, [response])
    const scope = { db: trx, workspaceId }
    const { status } = await readCommand(scope, deviceId, commandId, 'credential_rejected')
    if (status !== 'acknowledged' && status !== 'failed') {
      throw new Failure('invalid_transition', {
        detail: `The command is ${status}; only a sent one can become acknowledged or failed.`,
      })
    }
    return { id: formatId('cmd', commandId), status }
  })
}
