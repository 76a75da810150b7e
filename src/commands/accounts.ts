/** `mooring accounts`: accounts of people who sign in. */
import { type Command, Option } from 'commander'
import { type Role, roles } from '../platform/access/permissions.ts'
import { addCommand, print, say } from './parts/command.ts'
import { ConfigError } from '../platform/config/kinds.ts'

interface CreateOptions {
  email: string
  name?: string
  passwordStdin?: true
  workspace?: string
  role?: Role
  json?: true
}

/** All of standard input, without the line end that `echo` and terminals add. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) say('Type the password, a line end, and Ctrl-D:')
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin) text += String(chunk)
  return text.replace(/\r?\n$/, '')
}

function readMembership({ workspace, role }: CreateOptions) {
  if (workspace === undefined && role !== undefined) {
    throw new ConfigError(
      '--role says what the account is in a workspace: name it with --workspace',
    )
  }
  return workspace === undefined ? undefined : { slug: workspace, role: role ?? 'member' }
}

async function create(options: CreateOptions): Promise<void> {
  const membership = readMembership(options)
  const password = options.passwordStdin ? await readPassword() : undefined
  const { makeAccount } = await import('./parts/create-account.ts')
  const { email, name = '' } = options
  const made = await makeAccount({ email, name, password, membership })
  if (options.json) return print(JSON.stringify(made))
  say(`Created the account ${made.user_id} for ${made.email}.`)
  if (membership) say(`Its role in the workspace ${membership.slug} is ${membership.role}.`)
  if (made.password === undefined) return
  say(INITIAL)
  print(made.password)
}

const INITIAL =
  'Its password is shown only now. It is good for 14 days, and only to choose another one ' +
  '(POST /auth/password):'

interface EmailOption {
  email: string
}

async function disable({ email }: EmailOption): Promise<void> {
  const { disableByEmail } = await import('./parts/change-account.ts')
  const { ownerless, keys } = await disableByEmail(email)
  say(`The account of ${email} is disabled, and its sessions have ended.`)
  for (const slug of ownerless) {
    say(`The workspace ${slug} has no owner any more who can sign in.`)
  }
  for (const { slug, keys: count } of keys) {
    say(
      `API keys that it created in the workspace ${slug} go on working: ${count}, beside those ` +
        'created with them. Removing a member revokes them all. Of a person who is no member ' +
        'any more, list them by the filter created_by, and revoke each.',
    )
  }
}

async function enable({ email }: EmailOption): Promise<void> {
  const { enableByEmail } = await import('./parts/change-account.ts')
  await enableByEmail(email)
  say(`The account of ${email} can sign in again.`)
}

interface ResetOptions extends EmailOption {
  passwordStdin?: true
  removeAuthenticator?: true
}

async function resetPassword(options: ResetOptions): Promise<void> {
  const { email, passwordStdin, removeAuthenticator = false } = options
  const given = passwordStdin ? await readPassword() : undefined
  const { resetByEmail } = await import('./parts/change-account.ts')
  const password = await resetByEmail(email, given, removeAuthenticator)
  say(`The account of ${email} has a new password, and its sessions have ended.`)
  if (given !== undefined) return
  say(INITIAL)
  print(password)
}

const EMAIL = ['--email <address>', 'what the person signs in with'] as const
const FAILS = 'there is no such account, or the database is away'

/** Subcommands that change an existing account. */
function addChanges(accounts: Command): void {
  addCommand(accounts, 'disable', {
    summary: 'Disable an account',
    more:
      'Its sessions end at once, everywhere, and nobody signs in to it. It stays a member of its ' +
      'workspaces, and can be enabled again. API keys that it created go on working; their ' +
      'number is printed.',
    examples: ['accounts disable --email ada@example.com'],
    failsWhen: FAILS,
  })
    .requiredOption(...EMAIL)
    .action(disable)
  addCommand(accounts, 'enable', {
    summary: 'Enable an account that was disabled',
    examples: ['accounts enable --email ada@example.com'],
    failsWhen: FAILS,
  })
    .requiredOption(...EMAIL)
    .action(enable)
  addCommand(accounts, 'reset-password', {
    summary: 'Give an account a new password',
    more:
      'Its sessions end at once. The password is made up and printed, and has to be changed at the ' +
      'first sign-in, within 14 days; or it is read from standard input.',
    examples: [
      'accounts reset-password --email ada@example.com',
      'accounts reset-password --email ada@example.com --remove-authenticator',
    ],
    failsWhen: 'there is no such account, the password is too weak, or the database is away',
  })
    .requiredOption(...EMAIL)
    .option('--password-stdin', 'read the password from standard input')
    .option('--remove-authenticator', 'also the second factor, which the person has lost')
    .action(resetPassword)
}

export function addAccounts(program: Command): void {
  const accounts = program
    .command('accounts')
    .summary('Make and change accounts of people who sign in')
  accounts.description('Accounts of people who sign in.')
  addCommand(accounts, 'create', {
    summary: 'Create an account',
    more:
      'Works beside a running service and without one. The password is made up and printed, and ' +
      'has to be changed at the first sign-in, within 14 days; or it is read from standard input.',
    examples: [
      'accounts create --email ada@example.com',
      'accounts create --email ada@example.com --workspace main --role admin',
      'accounts create --email ada@example.com --password-stdin < password.txt',
    ],
    failsWhen: 'the address is taken, the password is too weak, or the database is away',
  })
    .requiredOption('--email <address>', 'what the person signs in with')
    .option('--name <name>', 'how the person is called')
    .option('--password-stdin', 'read the password from standard input')
    .option('--workspace <slug>', 'make the account a member of this workspace')
    .addOption(new Option('--role <role>', 'its role there (default: member)').choices(roles))
    .option('--json', 'print one JSON object, and nothing else')
    .action(create)
  addChanges(accounts)
}
