/** Names browser and system from a `User-Agent`. It is a hint for people and proves nothing. */
import { t } from './translations.ts'

const programs: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^(node|undici)/, 'Node.js'],
  [/^python/i, 'Python'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
]

const LONGEST = 40

/** `Firefox on Linux`; what it says of itself where neither is known. */
export function deviceOf(userAgent: string): string {
  const named = (names: typeof programs): string | undefined =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const program = named(programs)
  const system = named(systems)
  if (program === undefined) return userAgent.slice(0, LONGEST) || t('Unknown')
  return system === undefined ? program : t('{program} on {system}', { program, system })
}
