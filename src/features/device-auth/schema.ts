/** Shapes of what a device is told about itself. */
import Type, { type Static } from 'typebox'
import { Id, Nullable, Timestamp } from '../shapes.ts'

export const OwnDevice = Type.Object(
  {
    device_id: Id('dev'),
    device_key: Type.String(),
    workspace_id: Id('ws'),
    workspace_slug: Type.String({ description: 'First level of every topic of the device.' }),
    name: Type.String(),
    template_id: Nullable(Id('tpl')),
    status: Type.Enum(['registered', 'active', 'suspended', 'decommissioned']),
    claimed: Type.Boolean(),
    claimed_at: Nullable(Timestamp),
    rotation_due: Type.Boolean({
      description:
        'Whether the device has been released since its credentials were made, and should rotate them.',
    }),
    tags: Type.Record(Type.String(), Type.String()),
  },
  { title: 'OwnDevice' },
)
export type OwnDevice = Static<typeof OwnDevice>

export const OwnConfig = Type.Object(
  {
    config: Type.Unsafe<Record<string, unknown>>(
      Type.Object({}, { additionalProperties: true, description: 'Any JSON object.' }),
    ),
  },
  { title: 'OwnConfig' },
)
export type OwnConfig = Static<typeof OwnConfig>
