/** The command line: its commands, and the one that was asked for. */
import { Command } from 'commander'
import { addAccounts } from './accounts.ts'
import { addOpenapi, addRoutes } from './api.ts'
import { addAudit } from './audit.ts'
import { addBackup } from './backup.ts'
import { addBilling } from './billing.ts'
import { addConfig } from './config.ts'
import { addDoctor } from './doctor.ts'
import { addKeys } from './keys.ts'
import { addInvitations } from './lists.ts'
import { addMasterKey } from './master-key.ts'
import { addMigrate } from './migrate.ts'
import { addPartition } from './partition.ts'
import { readVersion } from '../app/project.ts'
import { runCommand } from './command.ts'
import { addServe } from './serve.ts'
import { addStatus } from './status.ts'
import { addUsage } from './usage.ts'
import { addWorkspaces } from './workspaces.ts'

const program = new Command('mooring')
  .description('A control plane for connected devices.')
  .version(readVersion(), '--version', 'Print the version.')
  .helpOption('-h, --help', 'Print this help.')
  .helpCommand('help [command]', 'Print the help of a command.')
  .showHelpAfterError()
  .exitOverride()
  // `backup verify` has the same options as `backup`.
  .enablePositionalOptions()
  .addHelpText(
    'after',
    `
Settings come from the environment: \`mooring config\` lists them with their current values.
Exit codes: 0 success, 1 failure, 2 an invalid option or setting.`,
  )

addServe(program)
addStatus(program)
addMigrate(program)
addPartition(program)
addAccounts(program)
addKeys(program)
addInvitations(program)
addWorkspaces(program)
addUsage(program)
addBilling(program)
addAudit(program)
addMasterKey(program)
addBackup(program)
addDoctor(program)
addRoutes(program)
addOpenapi(program)
addConfig(program)

export const runProgram = (argv: string[]): Promise<void> => runCommand(program, argv)
