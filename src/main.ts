/** The command line: parses the arguments and runs one command. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { addAccounts } from './commands/accounts.ts'
import { addAudit } from './commands/audit.ts'
import { addBackup } from './commands/backup.ts'
import { addBilling } from './commands/billing.ts'
import { addConfig } from './commands/config.ts'
import { addDoctor } from './commands/doctor.ts'
import { addGenerate } from './commands/generate.ts'
import { addKeys } from './commands/keys.ts'
import { addInvitations } from './commands/lists.ts'
import { addMasterKey } from './commands/master-key.ts'
import { addMigrate } from './commands/migrate.ts'
import { addOpenapi } from './commands/openapi.ts'
import { isCheckout, runCommand, version } from './commands/command.ts'
import { addRoutes } from './commands/routes.ts'
import { addServe } from './commands/serve.ts'
import { addStatus } from './commands/status.ts'
import { addUsage } from './commands/usage.ts'
import { addWorkspaces } from './commands/workspaces.ts'

const program = new Command('mooring')
  .description('A control plane for connected devices.')
  .version(version(), '--version', 'Print the version.')
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
if (isCheckout) addGenerate(program)

// Every start but the first takes half the time. The folder is not a temporary one, in which other
// users could plant code. If it is not writable, nothing is cached.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/mooring', import.meta.url)))
await runCommand(program, process.argv)
