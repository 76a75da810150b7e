/** Draws device keys by the serial format of a template. */
import type { Clock } from '../../../platform/lib/clock.ts'
import {
  parseSerialFormat,
  renderSerial,
  type SerialFormat,
  usesSequence,
} from './serial-format.ts'
import type { SerialSequences } from './serial-sequence.ts'

/** A template as keys are drawn by it. */
export interface SerialTemplate {
  id: string
  format: SerialFormat
}

/** @param row of a template, whose format was checked when it was stored */
export function serialTemplateOf({
  id,
  serial_format,
}: {
  id: string
  serial_format: string
}): SerialTemplate {
  const format = parseSerialFormat(serial_format)
  if ('error' in format) throw new Error(`template ${id} has a bad serial_format`)
  return { id, format }
}

export interface DrawnSerial {
  deviceKey: string
  /** Called if the device is certainly not created. The number of a taken key is used up. */
  giveBack: () => void
}

/** @param slug of the workspace */
export async function drawSerial(
  { serials, clock }: { serials: Omit<SerialSequences, 'close'>; clock: Clock },
  workspaceId: string,
  { id, format }: SerialTemplate,
  slug: string,
): Promise<DrawnSerial> {
  const isNumbered = usesSequence(format)
  const sequence = isNumbered ? await serials.take(workspaceId, id) : 0
  return {
    deviceKey: renderSerial(format, { slug, now: new Date(clock.now()), sequence }),
    giveBack() {
      if (isNumbered) serials.giveBack(workspaceId, id, sequence)
    },
  }
}
