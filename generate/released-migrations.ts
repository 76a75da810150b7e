/**
 * The migrations of each release: `migrations/released.json`. They are frozen, since databases know
 * them by their checksums and refuse a file whose statements were changed.
 */
import { readFile } from 'node:fs/promises'
import { readMigrations } from '../src/platform/database/migration-files.ts'

/** The files that each release added, with their checksums. */
export type ReleasedMigrations = Readonly<Record<string, Readonly<Record<string, string>>>>

type Known = { file: string; checksum: string }

/**
 * Adds a release with all files that no earlier one has. One that is there stays as it is: later
 * additions belong to a later release.
 */
export function withRelease(
  released: ReleasedMigrations,
  version: string,
  files: readonly Known[],
): ReleasedMigrations {
  if (released[version] !== undefined) return released
  const earlier = new Set(Object.values(released).flatMap((release) => Object.keys(release)))
  const added = files.filter(({ file }) => !earlier.has(file))
  return {
    ...released,
    [version]: Object.fromEntries(added.map(({ file, checksum }) => [file, checksum])),
  }
}

/** The faults of the files, given the released ones; empty if there are none. */
export function breaches(released: ReleasedMigrations, files: readonly Known[]): string[] {
  const now = new Map(files.map(({ file, checksum }) => [file, checksum]))
  return Object.entries(released).flatMap(([version, release]) =>
    Object.entries(release).flatMap(([file, checksum]) => {
      const found = now.get(file)
      if (found === undefined) return [`${file} of ${version} is missing`]
      return found === checksum ? [] : [`${file} was changed after ${version}`]
    }),
  )
}

/** The contents of the file for a version, given what the folder has. */
export async function releasedText(folder: URL, version: string): Promise<string> {
  const text = await readFile(new URL('released.json', folder), 'utf8').catch(() => '{}')
  const released = JSON.parse(text) as ReleasedMigrations
  return `${JSON.stringify(withRelease(released, version, await readMigrations(folder)), null, 2)}\n`
}
