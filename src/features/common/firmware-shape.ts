/** The image that devices of a template run. */
import Type, { type Static } from 'typebox'

/** Deployed firmware stores the URL in 512 bytes. */
export const Firmware = Type.Object(
  {
    url: Type.String({ maxLength: 511, pattern: '^https?://[\\x21-\\x7e]+$' }),
    sha256: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description: 'SHA-256 of the image, in hexadecimal.',
    }),
    size_bytes: Type.Integer({ minimum: 1, maximum: 1_099_511_627_776 }),
  },
  { additionalProperties: false, title: 'Firmware' },
)
export type Firmware = Static<typeof Firmware>
