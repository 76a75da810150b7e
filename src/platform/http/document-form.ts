/**
 * Documents for people, such as a PDF, as an alternative representation of an operation's response.
 */

export interface MadeDocument {
  /** For `Content-Disposition`. */
  filename: string
  bytes: Uint8Array
}

export interface DocumentForm<Context, Input> {
  /** Its media type. */
  type: string
  run(context: Context, input: Input): Promise<MadeDocument>
}
