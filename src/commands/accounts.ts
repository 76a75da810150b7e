/** `mooring accounts`: accounts of people who sign in. */
import { type Command, Option } from 'commander'
import { type Role, roles } from '../platform/access/permissions.ts'
import { ask } from './ask.ts'
import { addCommand, print, say } from './command.ts'
import { addList } from './lists.ts'
import { ConfigError } from '../platform/config/kinds.ts'

interface CreateOptions {
  email: string
  name?: string
  passwordStdin?: true
  workspace?: string
  role?: Role
  operator?: true
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
    throw new ConfigError('--role needs a workspace: add --workspace')
  }
  return workspace === undefined ? undefined : { slug: workspace, role: role ?? 'member' }
}

async function create(options: CreateOptions): Promise<void> {
  const membership = readMembership(options)
  const password = options.passwordStdin ? await readPassword() : undefined
  const { makeAccount } = await import('./accounts/create-account.ts')
  const { email, name = '', operator: isOperator = false } = options
  const made = await makeAccount({ email, name, password, membership, isOperator })
  if (options.json) return print(JSON.stringify(made))
  say(`Created the account ${made.user_id} for ${made.email}.`)
  if (membership) say(`Its role in the workspace ${membership.slug} is ${membership.role}.`)
  if (made.password === undefined) return
  say(INITIAL)
  print(made.password)
}

const INITIAL =
  'Its password is printed only once. It is valid for 14 days, and only for choosing another ' +
  'one (POST /auth/password):'

interface EmailOption {
  email: string
}

async function disable({ email }: EmailOption): Promise<void> {
  const { disableByEmail } = await import('./accounts/change-account.ts')
  const { ownerless, keys } = await disableByEmail(email)
  say(`The account of ${email} is disabled, and its sessions have ended.`)
  for (const slug of ownerless) {
    say(`The workspace ${slug} no longer has an owner who can sign in.`)
  }
  for (const { slug, keys: count } of keys) {
    say(
      `API keys that it created in the workspace ${slug} stay valid: ${count}, in addition to those ` +
        'created with them. Removing a member revokes all of them. For a former member, list ' +
        'the keys with the filter created_by and revoke each.',
    )
  }
}

async function enable({ email }: EmailOption): Promise<void> {
  const { enableByEmail } = await import('./accounts/change-account.ts')
  await enableByEmail(email)
  say(`The account of ${email} can sign in again.`)
}

async function setEmail({ email, to }: EmailOption & { to: string }): Promise<void> {
  const { replaceEmail } = await import('./accounts/change-account.ts')
  await replaceEmail(email, to)
  say(`The account of ${email} has the address ${to} now. Both addresses are notified.`)
}

interface DeleteOptions extends EmailOption {
  yes?: true
}

async function deleteAccount({ email, yes }: DeleteOptions): Promise<void> {
  if (!yes && !process.stdin.isTTY) {
    throw new ConfigError('A deleted account cannot be restored. If that is meant, add --yes.')
  }
  if (!yes) {
    const question =
      'The account, its sessions and its memberships end, and cannot be restored. API keys that it ' +
      'has created are revoked, MQTT principals suspended, webhooks disabled. Type the address ' +
      'again to delete it:'
    await ask(question, (answer) => (answer === email ? true : undefined))
  }
  const { deleteByEmail } = await import('./accounts/change-account.ts')
  await deleteByEmail(email)
  say(`The account of ${email} is deleted. The address is notified, and can be used again.`)
}

async function setRole({
  email,
  role,
}: EmailOption & { role: 'operator' | 'none' }): Promise<void> {
  const { replaceRole } = await import('./accounts/change-account.ts')
  await replaceRole(email, role === 'operator' ? role : null)
  say(
    role === 'operator'
      ? `${email} is an operator now, and sees the installation in the console after proving a second factor.`
      : `${email} is no operator any more, at once.`,
  )
}

interface ResetOptions extends EmailOption {
  passwordStdin?: true
  removeAuthenticator?: true
}

async function resetPassword(options: ResetOptions): Promise<void> {
  const { email, passwordStdin, removeAuthenticator = false } = options
  const given = passwordStdin ? await readPassword() : undefined
  const { resetByEmail } = await import('./accounts/change-account.ts')
  const password = await resetByEmail(email, given, removeAuthenticator)
  say(`The account of ${email} has a new password, and its sessions have ended.`)
  if (given !== undefined) return
  say(INITIAL)
  print(password)
}

const EMAIL = ['--email <address>', 'the e-mail address of the account'] as const
const FAILS = 'there is no such account, or the database is not available'

/** The subcommand whose effect nobody can take back. */
function addDeletion(accounts: Command): void {
  addCommand(accounts, 'delete', {
    summary: 'Delete an account',
    more:
      'Erases its name, address, password, factors and sessions, and ends its memberships with the ' +
      'API keys, MQTT principals and webhooks that it has created. Asks first. To keep what it has ' +
      'created, let an owner remove the member before.',
    examples: ['accounts delete --email ada@example.com'],
    failsWhen:
      'there is no such account, it is the only owner of a workspace, or the database is not available',
  })
    .requiredOption(...EMAIL)
    .option('--yes', 'do not ask')
    .action(deleteAccount)
}

/** The subcommand that makes an account one of an operator. */
function addRole(accounts: Command): void {
  addCommand(accounts, 'set-role', {
    summary: 'Make an account one of an operator, or end that',
    more:
      'Operators see the whole installation in the console: accounts, workspaces, mail, brokers, ' +
      'invoices. It takes a second factor, and gives no right in any workspace.',
    examples: [
      'accounts set-role --email ada@example.com --role operator',
      'accounts set-role --email ada@example.com --role none',
    ],
    failsWhen: FAILS,
  })
    .requiredOption(...EMAIL)
    .addOption(
      new Option('--role <role>', 'its role in the installation')
        .choices(['operator', 'none'])
        .makeOptionMandatory(),
    )
    .action(setRole)
}

/** Subcommands that change an existing account. */
function addChanges(accounts: Command): void {
  addCommand(accounts, 'disable', {
    summary: 'Disable an account',
    more:
      'Ends its sessions in every process and refuses sign-in. The account stays a member of ' +
      'its workspaces, and can be enabled again. API keys that it created stay valid; the ' +
      'command prints their number.',
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
  addCommand(accounts, 'set-email', {
    summary: 'Change the address of an account',
    more: 'Without a proof of the new address. Sessions, factors and memberships stay.',
    examples: ['accounts set-email --email ada@example.com --to ada.king@example.com'],
    failsWhen:
      'there is no such account, the new address is taken, or the database is not available',
  })
    .requiredOption(...EMAIL)
    .requiredOption('--to <address>', 'the new address')
    .action(setEmail)
  addCommand(accounts, 'reset-password', {
    summary: 'Reset the password of an account',
    more:
      'Ends its sessions. The new password is generated and printed, and must be changed at ' +
      'the first sign-in, within 14 days; or it is read from standard input.',
    examples: [
      'accounts reset-password --email ada@example.com',
      'accounts reset-password --email ada@example.com --remove-authenticator',
    ],
    failsWhen:
      'there is no such account, the password is too weak, or the database is not available',
  })
    .requiredOption(...EMAIL)
    .option('--password-stdin', 'read the password from standard input')
    .option(
      '--remove-authenticator',
      'also remove the authenticator and the passkeys, if the user has lost them',
    )
    .action(resetPassword)
}

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').summary('List, create and change user accounts')
  accounts.description('User accounts.')
  addCommand(accounts, 'create', {
    summary: 'Create an account',
    more:
      'Works with and without a running service. The password is generated and printed, and ' +
      'must be changed at the first sign-in, within 14 days; or it is read from standard ' +
      'input.',
    examples: [
      'accounts create --email ada@example.com',
      'accounts create --email ada@example.com --workspace main --role admin',
      'accounts create --email ada@example.com --password-stdin < password.txt',
    ],
    failsWhen: 'the address is taken, the password is too weak, or the database is not available',
  })
    .requiredOption('--email <address>', 'the e-mail address of the account')
    .option('--name <name>', 'the name of the user')
    .option('--password-stdin', 'read the password from standard input')
    .option('--workspace <slug>', 'make the account a member of this workspace')
    .addOption(new Option('--role <role>', 'its role there (default: member)').choices(roles))
    .option('--operator', 'make it one of an operator of the installation')
    .option('--json', 'print only one JSON object')
    .action(create)
  addRole(accounts)
  addChanges(accounts)
  addDeletion(accounts)
  addList(accounts, 'accounts')
}
