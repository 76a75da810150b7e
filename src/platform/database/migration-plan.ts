/**
 * Compares this build's migrations with those recorded in a database: returns what is pending, or
 * refuses with instructions.
 */
import type { Migration } from './migration-files.ts'

/** One row of the table schema_migrations. */
export type AppliedMigration = {
  number: number
  name: string
  checksum: string
  compatible: boolean
}

export class MigrationRefused extends Error {
  override name = 'MigrationRefused'
}

export type MigrationPlan = {
  pending: Migration[]
  /** Later, compatible migrations of a newer build. */
  unknown: string[]
}

/** Throws MigrationRefused if continuing could damage data. */
export function planMigrations(files: Migration[], applied: AppliedMigration[]): MigrationPlan {
  const known = new Map(files.map((file) => [file.number, file]))
  const newestKnown = files.at(-1)?.number ?? 0
  const newestApplied = Math.max(0, ...applied.map(({ number }) => number))
  const unknown: AppliedMigration[] = []
  for (const record of applied) {
    const file = known.get(record.number)
    if (file) refuseChanged(file, record)
    else if (record.number > newestKnown) unknown.push(record)
    else {
      throw new MigrationRefused(
        `The migration ${nameOf(record)} was applied to this database, and its file is missing. ` +
          'Restore the file: applied migrations are never removed.',
      )
    }
  }
  refuseNewer(unknown)
  const done = new Set(applied.map(({ number }) => number))
  const pending = files.filter(({ number }) => !done.has(number))
  const late = pending.find(({ number }) => number < newestApplied)
  if (late) {
    throw new MigrationRefused(
      `The migration ${late.file} has a lower number than ${newestApplied}, which was applied to ` +
        'this database already. Give it the next free number: migrations only go forward.',
    )
  }
  return { pending, unknown: unknown.map(nameOf) }
}

function refuseChanged(file: Migration, record: AppliedMigration): void {
  if (file.name !== record.name) {
    throw new MigrationRefused(
      `The migration ${nameOf(record)} was applied to this database, and the file with its number ` +
        `is now called ${file.file}. Rename it back; a new migration takes a new number.`,
    )
  }
  if (![file.checksum, file.statements].includes(record.checksum)) {
    throw new MigrationRefused(
      `The migration ${file.file} was changed after it was applied to this database. Restore its ` +
        'statements and marks (git checkout), and put the change into a new migration.',
    )
  }
}

function refuseNewer(unknown: AppliedMigration[]): void {
  const breaking = unknown.filter(({ compatible }) => !compatible)
  if (breaking.length === 0) return
  throw new MigrationRefused(
    'The database was upgraded by a newer build, and this build does not know its migrations ' +
      `${breaking.map(nameOf).join(', ')}. Run the newer build; to go back to this one, restore a ` +
      'backup from before the upgrade.',
  )
}

const nameOf = ({ number, name }: AppliedMigration): string =>
  `${String(number).padStart(4, '0')}-${name}`
