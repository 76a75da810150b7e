/** Rows of a stream that a key may not provision: reported together instead of one by one. */

/** Called with the number of rows that a setting of the key refused. */
type Note = (rule: string | undefined, count: number) => void

function ruleOf(result: unknown): { rule: string | undefined } | undefined {
  const { code, rule } = result as { code?: unknown; rule?: unknown }
  if (code !== 'key_scope_denied') return undefined
  return { rule: typeof rule === 'string' ? rule : undefined }
}

/** Passes results through; at the end, however it comes, reports the refusals of each setting. */
export async function* noteRefusedRows(
  results: AsyncIterable<unknown[]>,
  note: Note,
): AsyncGenerator<unknown[]> {
  const counts = new Map<string | undefined, number>()
  try {
    for await (const part of results) {
      for (const result of part) {
        const refused = ruleOf(result)
        if (refused) counts.set(refused.rule, (counts.get(refused.rule) ?? 0) + 1)
      }
      yield part
    }
  } finally {
    for (const [rule, count] of counts) note(rule, count)
  }
}
