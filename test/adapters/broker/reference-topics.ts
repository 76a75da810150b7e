/** A slow and plain account of topics, written from the specification, to check the fast one by. */
import * as fc from 'fast-check'

/** MQTT 5.0, section 4.7, written as a regular expression. */
export function referenceMatches(filter: string, topic: string): boolean {
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false
  const body = filter
    .replaceAll(/[.*?^$()|[\]{}\\]/g, String.raw`\$&`)
    .replace(/^#$/, '[^]*')
    .replace(/\/#$/, '(/[^]*)?')
    .replaceAll('+', '[^/]*')
  return new RegExp(`^${body}$`).test(topic)
}

const NAMES = ['a', 'b', '', '$s', 'z']

/** Every topic of up to four levels; no filter below uses `z`, so it stands for any other name. */
export const ALL_TOPICS = [1, 2, 3, 4].flatMap((length) =>
  Array.from({ length: NAMES.length ** length }, (_, number) =>
    Array.from(
      { length },
      (_, place) => NAMES[Math.floor(number / NAMES.length ** place) % NAMES.length],
    ).join('/'),
  ).filter((topic) => topic !== ''),
)

/** The topic above `/#`, which can't be published to, but which two filters may have in common. */
export const WITH_EMPTY = ['', ...ALL_TOPICS]

export const filters = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'b', '', '$s', '+'), { minLength: 0, maxLength: 3 }),
    fc.boolean(),
  )
  .map(([levels, all]) => (all ? [...levels, '#'] : levels).join('/'))
  .filter((filter) => filter !== '')
