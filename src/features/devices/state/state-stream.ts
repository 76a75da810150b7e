/** The state of a device as a stream: the present one, then the newest whenever it has changed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveMessage, LiveStream } from '../../../platform/http/live-form.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { HintBuffer } from '../../events/live/hint-buffer.ts'
import type { LiveServices } from '../../events/live/live-hub.ts'
import { findState, type StateContext, type StateServices } from './device-state.ts'

export type StateStreamServices = StateServices & LiveServices

/**
 * The id of a message is the version of its state: a client that reconnects with it gets newer ones
 * only. States that are replaced before they can be sent are left out.
 * @throws Failure device_not_found, also while it streams
 */
export async function* watchState(
  context: StateContext & StateStreamServices,
  deviceId: string,
  { lastEventId, signal }: LiveStream,
): AsyncGenerator<LiveMessage[]> {
  const { liveHub, workspaceId } = context
  const publicId = formatId('dev', deviceId)
  const changes = new HintBuffer(({ kind, id }) => kind === 'device' && id === publicId)
  const watched = { kind: 'device', workspaceId, id: deviceId } as const
  const leave = await liveHub.join(workspaceId, changes, [watched])
  try {
    let sent = lastEventId
    while (!signal.aborted) {
      const state = await findState(context, deviceId)
      const version = state && String(state.view.version)
      const isNew = state !== undefined && version !== sent
      // Without news, a message that clients do not see.
      yield isNew ? [{ id: version, event: 'state', data: state.view }] : [{}]
      sent = version
      await sleep(liveHub.gatherMs, undefined, { signal }).catch(() => {})
      await changes.filled(liveHub.beatMs, signal)
      changes.take()
    }
  } finally {
    leave()
  }
}
