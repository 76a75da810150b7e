/** Schemas of claim codes, used by both directions of claiming. */
import Type from 'typebox'
import { Text } from './shapes.ts'

/** A code in a response. */
export const PresentedCode = Text(
  '`pc_` and ten characters. Case, hyphens and spaces do not matter. It is returned only once.',
)

/**
 * A code in a request. The bound exceeds any form of a code, so that malformed ones get their
 * own failure code.
 */
export const SentCode = Type.String({
  maxLength: 100,
  description: 'The code as displayed by the phone or device.',
})

export const DEFAULT_CODE_LIFETIME_SECONDS = 900

export const CodeLifetime = Type.Integer({
  minimum: 60,
  maximum: 3_600,
  description: `Lifetime of the code in seconds. Default: ${DEFAULT_CODE_LIFETIME_SECONDS}.`,
})
