#!/usr/bin/env node
/** The command line for users of a service, by its API. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addClaims } from './commands/claims.ts'
import { addDevices } from './commands/devices.ts'
import { addCommands, addJobs } from './commands/fleet.ts'
import { addLogin } from './commands/login.ts'
import { addEvents, addMessages, addWebhooks } from './commands/traffic.ts'
import { addAudit, addDomains, addKeys, addTemplates } from './commands/workspace.ts'
import { addCompletion } from './completion.ts'
import { reportFailure } from './failure.ts'
import { choice } from './resource.ts'
import { formats } from './output.ts'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string
}

const program = new Command('mooring')
  .description('Work with devices and workspaces of a Mooring service.')
  .version(version, '--version', 'print the version')
  .option('--profile <name>', 'the profile to use (or MOORING_PROFILE)')
  .option('--url <origin>', 'the service (or MOORING_URL; http://127.0.0.1:8080)')
  .option('-w, --workspace <workspace>', 'slug or id (or MOORING_WORKSPACE)')
  .addOption(choice('-o, --output <format>', 'what is printed', formats).default('table'))
  .showHelpAfterError('Run with --help for all options.')
  .exitOverride()
  .addHelpText(
    'after',
    `
Begin with: mooring login --url https://mooring.example.com
MOORING_API_KEY, a platform key, takes the place of a sign-in.

Exit codes:
  0  success
  1  the service refused the request
  2  an invalid command, option or setting
  3  not signed in, or the credential was revoked
  4  the caller lacks the right
  5  not found
  6  the service cannot be reached, or failed: try again`,
  )

addLogin(program)
addDevices(program)
addTemplates(program)
addKeys(program)
addCommands(program)
addJobs(program)
addEvents(program)
addMessages(program)
addWebhooks(program)
addClaims(program)
addDomains(program)
addAudit(program)
addCompletion(program)

// A reader may stop early, as `head` does.
process.stdout.on('error', () => process.exit(0))
process.on('SIGINT', () => process.exit(130))
try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = reportFailure(error)
}
