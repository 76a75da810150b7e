/** Calls whose bodies are rows: sent as a table or as lines of JSON, and read as they come. */
import type { Rows } from './csv.ts'
import { type Input, type OperationId, open } from './client.ts'
import { problemOf } from './problem.ts'

/** The lines of a body as they come. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>
  let rest = ''
  for (;;) {
    const { done, value = '' } = await reader.read()
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
    if (done) break
  }
  if (rest !== '') yield rest
}

/**
 * Sends rows, and hears the result of each as soon as the service has it.
 * @throws Problem; DOMException `AbortError` if it was aborted
 */
export async function sendRows<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  rows: Rows,
  onResult: (result: unknown) => void,
): Promise<void> {
  const { body } = await open(id, input, { rows })
  try {
    for await (const line of linesOf(body as ReadableStream<Uint8Array>)) {
      onResult(JSON.parse(line))
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw problemOf(error)
  }
}

/**
 * Reads a document whole, as a file.
 * @throws Problem
 */
export async function readFile<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  accept: string,
): Promise<Blob> {
  const response = await open(id, input, { accept })
  try {
    return await response.blob()
  } catch (error) {
    throw problemOf(error)
  }
}
