/** How callers select devices: by a list of ids or by a filter. */
import Type from 'typebox'
import { Id } from './shapes.ts'

const MAX_LISTED_DEVICES = 10_000

export const selection = {
  device_ids: Type.Optional(
    Type.Array(Id('dev'), {
      minItems: 1,
      maxItems: MAX_LISTED_DEVICES,
      description: 'The devices. Either this or `filter`.',
    }),
  ),
  filter: Type.Optional(
    Type.String({
      maxLength: 4_096,
      description:
        'Which devices, as the list of devices takes it; an empty text is all of them. Either this or `device_ids`.',
    }),
  ),
}
export interface Selection {
  device_ids?: string[]
  filter?: string
}
