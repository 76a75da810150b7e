/** The output of this process to standard error, where the log is. */
import type { TestContext } from 'node:test'

/** @returns the lines so far, as they were written; they are still written, too */
export function watchStderr(t: TestContext): () => string[] {
  let text = ''
  const write = process.stderr.write.bind(process.stderr)
  t.mock.method(process.stderr, 'write', (...args: Parameters<typeof write>) => {
    const [chunk] = args
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return write(...args)
  })
  return () => text.split('\n').filter((line) => line !== '')
}
