/** Rows of a stream that a key may not provision: reported together instead of one by one. */
import { isOutOfScope, type Refusal } from './gate-hook.ts'

type RefusedRows = Pick<Refusal, 'code' | 'rule'> & { count: number }

function refusalOf(result: unknown): Omit<RefusedRows, 'count'> | undefined {
  const { code, rule } = result as { code?: unknown; rule?: unknown }
  if (!isOutOfScope(code)) return undefined
  return { code, rule: typeof rule === 'string' ? rule : undefined }
}

/** Passes results through; at the end, however it comes, reports the refusals of each setting. */
export async function* noteRefusedRows(
  results: AsyncIterable<unknown[]>,
  note: (refused: RefusedRows) => void,
): AsyncGenerator<unknown[]> {
  const bySetting = new Map<string, RefusedRows>()
  try {
    for await (const part of results) {
      for (const result of part) {
        const refused = refusalOf(result)
        if (refused === undefined) continue
        const key = `${refused.code} ${refused.rule}`
        const known = bySetting.get(key)
        if (known === undefined) bySetting.set(key, { ...refused, count: 1 })
        else known.count += 1
      }
      yield part
    }
  } finally {
    for (const refused of bySetting.values()) note(refused)
  }
}
