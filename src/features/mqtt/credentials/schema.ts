/** Schemas of what the statements behind a CONNECT compose. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../../common/shapes.ts'

/** The secrets of a device or a principal. */
export const Secrets = Type.Array(
  Type.Object({
    generation: Type.Integer(),
    /** Base64. */
    hash: Type.String(),
    /** Milliseconds since the epoch; null once it is confirmed. */
    expires_at: Nullable(Type.Number()),
    is_used: Type.Boolean(),
  }),
)

const HeldDevice = Type.Object({
  /** UUID. */
  id: Type.String(),
  device_key: Type.String(),
  /** Whether the device itself may connect. */
  serves: Type.Boolean(),
})
export type HeldDevice = Static<typeof HeldDevice>

/** The devices that the identity of a phone has claimed. */
export const HeldDevices = Type.Array(HeldDevice)
