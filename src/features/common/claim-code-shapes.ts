/** Schemas of claim codes, used by both directions of claiming. */
import Type from 'typebox'

/** A code in a response. */
export const ShownCode = Type.String({
  description:
    '`pc_` and ten characters. Case does not matter, nor does a hyphen or space between characters. It is shown this once.',
})

/**
 * A code in a request. The bound exceeds any spelling of a code, so that malformed ones get their
 * own failure code.
 */
export const SentCode = Type.String({
  maxLength: 100,
  description: 'The code as the other side shows it.',
})

export const CodeLifetime = Type.Integer({
  minimum: 60,
  maximum: 3_600,
  description: 'For how many seconds the code is good; 900, if left out.',
})
