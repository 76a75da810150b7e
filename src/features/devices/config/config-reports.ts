/** Buffers devices' reports on `config/status` and writes the latest of each in batches. */
import type { Db } from '../../../platform/database/connect.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { type DeviceRef, writeReports } from './store.ts'
import { errorText, readMembers } from '../../../platform/lib/json-members.ts'
import { BufferedWrites } from '../../../platform/lib/write-buffered.ts'
import { parseTime } from '../../../platform/lib/time.ts'
import { columnsOf } from '../../../platform/database/sql.ts'

const BATCH = 500
/** Twice the connections that one process was measured with. */
const MAX_WAITING = 20_000
const MAX_REPORT_BYTES = 8_192
const MAX_ERROR_LENGTH = 500
const MAX_CODE_LENGTH = 64
const MAX_INTEGER = 2_147_483_647

type Members = Readonly<Record<string, unknown>>

const isVersion = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_INTEGER

/** Firmware whose clock is not set reports the time since 1970. */
const CLOCK_IS_SET = Date.UTC(2015, 0)
const LATEST = Date.UTC(2100, 0)

/** The status that firmware sent, else derived from `applied` (fielded firmware) or `ok`. */
function statusOf({ status, applied, ok }: Members): string | undefined {
  if (typeof status === 'string') {
    return /^[A-Za-z][\w.-]{0,39}$/.test(status) ? status.toLowerCase() : undefined
  }
  const isApplied = applied ?? ok
  return typeof isApplied === 'boolean' ? (isApplied ? 'applied' : 'failed') : undefined
}

/** RFC 3339; null if the device does not know the time. */
function appliedAtOf(sent: unknown): string | null {
  const time = typeof sent === 'string' ? parseTime(sent) : undefined
  if (time === undefined || time < CLOCK_IS_SET || time >= LATEST) return null
  return new Date(time).toISOString()
}

/** Fielded firmware sends `{code, message}`, and null without an error. */
function errorOf(error: unknown): { error: string | null; error_code: string | null } {
  const { code, message } = (error ?? {}) as Members
  const isNamed = typeof code === 'string' && typeof message === 'string'
  return {
    error: errorText(isNamed ? message : error, MAX_ERROR_LENGTH),
    error_code: isNamed ? errorText(code, MAX_CODE_LENGTH) : null,
  }
}

/** @returns undefined if it is not a report */
function readReport(device: DeviceRef, payload: Buffer) {
  if (payload.length > MAX_REPORT_BYTES) return undefined
  const members = readMembers(payload) ?? {}
  const status = statusOf(members)
  if (status === undefined) return undefined
  const { version, sha256, applied_at, error } = members
  const hash = typeof sha256 === 'string' ? sha256.toLowerCase() : ''
  const said = {
    version: isVersion(version) ? version : null,
    sha256: /^[0-9a-f]{64}$/.test(hash) ? hash : null,
    status,
    ...errorOf(error),
    applied_at: appliedAtOf(applied_at),
  }
  const { workspaceId, deviceId } = device
  return {
    workspaceId,
    deviceId,
    ...said,
    eventId: newUuid(),
    data: JSON.stringify({ device_id: formatId('dev', deviceId), ...said }),
  }
}

type Report = NonNullable<ReturnType<typeof readReport>>

export class ConfigReports {
  /** Reports for which there was no room, since the start of the process. */
  dropped = 0
  readonly writes: BufferedWrites<Report>

  constructor(db: Db, failed: (error: unknown) => void) {
    const write = (reports: readonly Report[]) => writeReports.run(db, columnsOf(reports))
    this.writes = new BufferedWrites(BATCH, write, failed)
  }

  /** Whether a report of the device would be kept. */
  hasRoom({ deviceId }: DeviceRef): boolean {
    const { waiting } = this.writes
    return waiting.has(deviceId) || waiting.size < MAX_WAITING
  }

  add(device: DeviceRef, payload: Buffer): void {
    const report = readReport(device, payload)
    if (report === undefined) return
    if (this.hasRoom(device)) this.writes.set(device.deviceId, report)
    else this.dropped += 1
  }
}
