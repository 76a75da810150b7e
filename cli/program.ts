/** The commands of the command line, and what their help says. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addClaims } from './commands/claims.ts'
import { addDevices } from './commands/devices.ts'
import { addCommands, addJobs } from './commands/fleet.ts'
import { addLogin } from './commands/login.ts'
import { addEvents, addMessages, addWebhooks } from './commands/traffic.ts'
import { addAudit, addDomains, addKeys, addTemplates } from './commands/workspace.ts'
import { addCompletion } from './completion.ts'
import { formats } from './output.ts'
import { choice } from './resource.ts'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string
}

const AFTER = `
Begin with: mooring login --url https://mooring.example.com
MOORING_API_KEY, a platform key, takes the place of a sign-in.

Exit codes:
  0    success
  1    the service refused the request, or a device or row failed
  2    an invalid command, option or setting
  3    not signed in, or the credential was revoked
  4    the caller lacks the right
  5    not found
  6    the service cannot be reached, or failed: try again
  130  ended by Ctrl-C`

/** An option of a command must not have the name of one of all commands: that would take it. */
export function createProgram(): Command {
  const program = new Command('mooring')
    .description('Work with devices and workspaces of a Mooring service.')
    .version(version, '--version', 'print the version')
    .option('--profile <name>', 'the profile to use (or MOORING_PROFILE)')
    .option('--url <origin>', 'the service (or MOORING_URL; http://127.0.0.1:8080)')
    .option('-w, --workspace <workspace>', 'slug or id (or MOORING_WORKSPACE)')
    .addOption(choice('-o, --output <format>', 'what is printed', formats).default('table'))
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Run with --help for all options.')
    .exitOverride()
    .addHelpText('after', AFTER)
  for (const add of [
    addLogin,
    addDevices,
    addTemplates,
    addKeys,
    addCommands,
    addJobs,
    addEvents,
    addMessages,
    addWebhooks,
    addClaims,
    addDomains,
    addAudit,
    addCompletion,
  ]) {
    add(program)
  }
  return program
}
