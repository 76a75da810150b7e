/**
 * Buffers devices' MQTT responses to commands and writes them in batches, each as soon as the
 * previous one is done: few responses are written at once, many cheaply. Bounded: a device that
 * answers more than it was asked is ignored, if it cannot be made to wait.
 */
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Tally } from '../../../platform/lib/tally.ts'
import { BufferedWrites } from '../../../platform/lib/write-buffered.ts'
import { parseSentId } from '../../../platform/lib/ids.ts'
import { errorText, readMembers } from '../../../platform/lib/json-members.ts'
import { writeResponses } from './command-end.ts'
import { MAX_OPEN_COMMANDS } from './command-issue.ts'
import type { CommandResponse, DeviceRef } from './store.ts'

const BATCH = 200
const MAX_WAITING = 10_000
const MAX_RESPONSE_BYTES = 20_480
const MAX_ERROR_LENGTH = 1_000

/** @returns undefined if it is not a response */
function readResponse(device: DeviceRef, payload: Buffer): CommandResponse | undefined {
  if (payload.length > MAX_RESPONSE_BYTES) return undefined
  const { id, ok, result, error } = readMembers(payload) ?? {}
  const commandId = typeof id === 'string' ? parseSentId('cmd', id) : undefined
  if (commandId === undefined || typeof ok !== 'boolean') return undefined
  const { workspaceId, deviceId } = device
  return {
    workspaceId,
    deviceId,
    commandId,
    ok,
    result: result === undefined ? null : JSON.stringify(result),
    error: ok ? null : errorText(error, MAX_ERROR_LENGTH),
  }
}

export class CommandResponses {
  readonly #waitingOf = new Tally()
  /** Responses for which there was no room, since the start of the process. */
  dropped = 0
  readonly writes: BufferedWrites<CommandResponse>

  constructor(services: { db: Db; feed: ChangeFeed }, failed: (error: unknown) => void) {
    const write = async (responses: readonly CommandResponse[]): Promise<void> => {
      await writeResponses(services, responses)
      for (const { deviceId } of responses) this.#waitingOf.add(deviceId, -1)
    }
    this.writes = new BufferedWrites(BATCH, write, failed)
  }

  /** Whether a further response of the device would be kept. */
  hasRoom({ deviceId }: DeviceRef): boolean {
    const ofDevice = this.#waitingOf.of(deviceId)
    return ofDevice < MAX_OPEN_COMMANDS && this.writes.waiting.size < MAX_WAITING
  }

  add(device: DeviceRef, payload: Buffer): void {
    const response = readResponse(device, payload)
    if (response === undefined) return
    const { deviceId, commandId } = response
    const key = `${deviceId} ${commandId}`
    const { waiting } = this.writes
    // Until it is written, a second response to the same command is ignored.
    if (waiting.has(key)) return
    if (!this.hasRoom(device)) {
      // Reports of a device on more commands than it can have are dropped without loss.
      if (waiting.size >= MAX_WAITING) this.dropped += 1
      return
    }
    this.#waitingOf.add(deviceId, 1)
    this.writes.set(key, response)
  }
}
