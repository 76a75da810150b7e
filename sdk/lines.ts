/** The lines of a streamed response. */

const LINE_END = /\r\n|\n|\r(?!$)/

/** Called when waiting for the service begins and ends. */
export interface Watch {
  start(): void
  stop(): void
}

/** @throws what the stream throws when it breaks off */
export async function* linesOf(
  { body }: Pick<Response, 'body'>,
  watch?: Watch,
): AsyncGenerator<string, void, undefined> {
  if (body === null) return
  // Not every browser iterates over a stream.
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      watch?.start()
      const { done, value } = await reader.read()
      watch?.stop()
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split(LINE_END)
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    // Closes the connection if the reader has stopped before the end.
    await reader.cancel().catch(() => {})
  }
}
