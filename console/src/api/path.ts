/** The address of a call. */
import type { OperationInfo } from '../../../sdk/schema.ts'

export interface Loose {
  params?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
}

/** The path of a call below the origin, with its query. */
export function pathOf({ base, path }: OperationInfo, input: Loose): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name] ?? `{${name}}`)),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value === undefined || value === '') continue
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each))
  }
  return `${base}${filled}${query.size > 0 ? `?${query}` : ''}`
}
