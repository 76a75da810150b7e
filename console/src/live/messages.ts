/** Server-sent events (WHATWG HTML, "Server-sent events") of one connection, without positions. */

export interface Message {
  event: string
  data: unknown
}

function messageOf(block: string): Message | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const at = line.indexOf(': ')
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2))
  }
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { event: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown }
}

/** A read that fails if nothing comes for too long: a lost network closes no connection. */
async function readWithin<Value>(read: () => Promise<Value>, ms: number): Promise<Value> {
  const silence = Promise.withResolvers<never>()
  const timer = setTimeout(() => silence.reject(new Error(`nothing came for ${ms} ms`)), ms)
  try {
    return await Promise.race([read(), silence.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** @throws whatever ends the connection, and Error after a silence of so many milliseconds */
export async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  silentMs: number,
): AsyncGenerator<Message> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await readWithin(() => reader.read(), silentMs)
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const message = messageOf(block)
        if (message !== undefined) yield message
      }
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
}
