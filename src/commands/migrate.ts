/** `mooring migrate`: migrates the database. */
import type { Command } from 'commander'
import type { Migration } from '../platform/database/migration-files.ts'
import { addCommand, print, say } from './command.ts'

/** Prints the pending migrations, and whether processes of the earlier version must end. */
function show(pending: readonly Migration[]): void {
  for (const { file } of pending) print(file)
  const breaking = pending.filter(({ compatible }) => !compatible).map(({ file }) => file)
  if (breaking.length === 0 || pending[0]?.number === 1) return
  say(`Not compatible with earlier versions: ${breaking.join(', ')}.`)
  say('End all processes of the earlier version before you start this one.')
}

async function migrate(options: { dryRun?: true }): Promise<void> {
  const { readConfig, requestRoleOf } = await import('../platform/config/config.ts')
  const databases = await import('./installation/databases.ts')
  const { applyMigrations, findPending, openForCommand } = databases
  const config = readConfig()
  const opened = await openForCommand(config)
  try {
    const { connection } = opened
    const pending = await findPending(connection)
    if (pending.length === 0) say('The database is up to date.')
    if (options.dryRun) show(pending)
    else await applyMigrations(connection, say, { role: requestRoleOf(config) })
  } finally {
    await opened.stop()
  }
}

export function addMigrate(program: Command): void {
  addCommand(program, 'migrate', {
    summary: 'Migrate the database',
    more:
      '`serve` does this by itself at its start. Use this command to migrate separately, ' +
      'before an upgrade. Running services continue to work.',
    examples: ['migrate', 'migrate --dry-run'],
    failsWhen:
      'there is no database, or a migration failed or was refused; earlier migrations stay ' +
      'applied',
  })
    .option('--dry-run', 'only print the migrations that would be applied')
    .action(migrate)
}
