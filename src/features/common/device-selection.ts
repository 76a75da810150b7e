/** How callers select devices: by a list of ids or by a filter. */
import Type from 'typebox'
import { Id } from './shapes.ts'

const MAX_LISTED_DEVICES = 10_000

export const selection = {
  device_ids: Type.Optional(
    Type.Array(Id('dev'), {
      minItems: 1,
      maxItems: MAX_LISTED_DEVICES,
      description: 'The ids of the devices. Send either this or `filter`.',
    }),
  ),
  filter: Type.Optional(
    Type.String({
      maxLength: 4_096,
      description:
        'A filter in the syntax of the device list; an empty string selects all devices. Send either this or `device_ids`.',
    }),
  ),
}
export interface Selection {
  device_ids?: string[]
  filter?: string
}
