/** `mooring partition`: partitions large tables by workspace. */
import type { Command } from 'commander'
import { addCommand, CommandFailure, print, say } from './command.ts'

interface Options {
  tables?: string
  partitions: string
  dryRun?: true
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`

async function partition({ tables, partitions: text, dryRun }: Options): Promise<void> {
  const { readConfig, requestRoleOf } = await import('../platform/config/config.ts')
  const databases = await import('./installation/databases.ts')
  const convert = await import('../platform/database/partitions/convert.ts')
  const clients = await import('../platform/database/primary-client.ts')
  const { prepareRequestRole } = await import('../platform/database/request-role.ts')
  const { MAX_PARTITIONS, PARTITIONABLE, partitionTables, planPartitions } = convert
  const partitions = Number(text)
  if (!Number.isInteger(partitions) || partitions < 2 || partitions > MAX_PARTITIONS) {
    throw new CommandFailure(`--partitions must be a number from 2 to ${MAX_PARTITIONS}`)
  }
  const names = tables?.split(',').map((name) => name.trim()) ?? PARTITIONABLE
  const config = readConfig()
  const opened = await databases.openForCommand(config)
  const connect = clients.connector(opened.connection)
  try {
    await databases.requireUpToDate(opened.connection)
    await clients.withClient(connect, async (client) => {
      const options = { tables: names, partitions, log: say }
      const plan = await (dryRun ? planPartitions : partitionTables)(client, options)
      for (const name of plan.done) say(`${name} is partitioned already, and stays as it is.`)
      for (const { name, rows, bytes } of plan.tables) {
        say(`${name}: about ${rows.toLocaleString('en')} rows, ${megabytes(bytes)}`)
      }
      if (dryRun) for (const statement of plan.statements) print(`${statement};`)
    })
    const role = requestRoleOf(config)
    if (!dryRun && role !== undefined) await prepareRequestRole(connect, role)
  } finally {
    await opened.stop()
  }
}

export function addPartition(program: Command): void {
  addCommand(program, 'partition', {
    summary: 'Partition large tables by workspace',
    more:
      'Replaces tables by ones that are partitioned by hash of the workspace, with all their rows, ' +
      'constraints, indexes, triggers, policies and grants. Everything happens in one transaction: ' +
      'nobody can use the tables meanwhile, and an interruption leaves them as they were. It needs ' +
      'as much free disk as the tables have. There is no way back but a backup. Read ' +
      'docs/scale.md first.',
    examples: ['partition --dry-run', 'partition --partitions 32 --tables devices,audit_log'],
    failsWhen: 'a table cannot be converted or is in use; then nothing has changed',
  })
    .option('--tables <names>', 'separated by commas; by default all that can be converted')
    .option('--partitions <number>', 'partitions of each table', '16')
    .option('--dry-run', 'only print the statements that would run')
    .action(partition)
}
