/**
 * Answers that are documents for people, such as a PDF: another form of what an operation answers,
 * for whoever likes it better than JSON.
 */

export interface MadeDocument {
  /** What a browser calls the file. */
  filename: string
  bytes: Uint8Array
}

export interface DocumentForm<Context, Input> {
  /** Its media type. */
  type: string
  run(context: Context, input: Input): Promise<MadeDocument>
}
