/** Tags as a person types them, and changes of objects as the service merges them (RFC 7396). */

type Tags = Readonly<Record<string, string>>

/** Each as filters and forms write it. */
const textsOf = (tags: Tags): string[] =>
  Object.entries(tags).map(([name, value]) => `${name} = ${value}`)

export const linesOf = (tags: Tags): string => textsOf(tags).join('\n')

export const inOneLine = (tags: Tags): string => textsOf(tags).join(', ')

/** @returns undefined if a line is no tag */
export function tagsOf(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line) => /^\s*([A-Za-z0-9_.-]{1,64})\s*=\s*(.*?)\s*$/.exec(line))
  if (pairs.includes(null)) return undefined
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
}

/** The patch that makes one object of the other: a member that is gone is null. */
export function mergeOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const gone = Object.keys(before).filter((name) => !(name in after))
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries([...gone.map((name) => [name, null]), ...changed])
}
