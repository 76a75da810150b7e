/** `mooring migrate`: migrates the database. */
import type { Command } from 'commander'
import { addCommand, print, say } from './command.ts'

async function migrate(options: { dryRun?: true }): Promise<void> {
  const [{ readConfig, requestRoleOf }, databases] = await Promise.all([
    import('../platform/config/config.ts'),
    import('./installation/databases.ts'),
  ])
  const { applyMigrations, findPending, openForCommand } = databases
  const config = readConfig()
  const opened = await openForCommand(config)
  try {
    const { connection } = opened
    const files = options.dryRun
      ? await findPending(connection)
      : await applyMigrations(connection, requestRoleOf(config), say)
    if (files.length === 0) say('The database is up to date.')
    if (options.dryRun) for (const file of files) print(file)
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
