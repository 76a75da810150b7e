/** `mooring login` and what belongs to it: sessions, profiles, workspaces. */
import { text as readAll } from 'node:stream/consumers'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { createClient, type Client } from '../../sdk/client.ts'
import type { LoginResponse } from '../../sdk/schema.ts'
import { type SessionTokens, tokensOf } from '../../sdk/session.ts'
import { signInByBrowser } from '../browser-login.ts'
import { chooseProfile, openContext } from '../context.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { say } from '../output.ts'
import { changeProfiles, profilesFile, readProfiles, storeProfile, withLock } from '../profiles.ts'
import { addGroup, addList } from '../resource.ts'

/** Asks on the terminal. @param isSecret it is not shown while it is typed */
async function ask(question: string, isSecret = false): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandFailure(
      `${question}: there is no terminal to ask on. See: mooring login --help`,
      exitCodes.usage,
    )
  }
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isSecret ? muted : process.stderr
  if (isSecret) process.stderr.write(`${question}: `)
  const reader = createInterface({ input: process.stdin, output, terminal: true })
  const answer = await reader.question(isSecret ? '' : `${question}: `)
  reader.close()
  if (isSecret) process.stderr.write('\n')
  return answer.trim()
}

interface LoginOptions {
  email?: string
  passwordStdin?: true
  code?: string
  apiKeyStdin?: true
  browser?: true
  open: boolean
}

/** Whether the browser signs in: where a person is, and has not begun to give a password. */
const usesBrowser = ({ browser, email, passwordStdin, code }: LoginOptions): boolean =>
  browser ?? (process.stdin.isTTY && email === undefined && !passwordStdin && code === undefined)

const readSecret = async (): Promise<string> => (await readAll(process.stdin)).trim()

async function signIn(client: Client, email: string, options: LoginOptions) {
  const password = options.passwordStdin ? await readSecret() : await ask('Password', true)
  let response: LoginResponse = await client.call('login', { body: { email, password } })
  if (response.mfa_required) {
    const code = options.code ?? (await ask('Code of the authenticator, or a recovery code'))
    const mfa_token = response.mfa_token ?? ''
    response = await client.call('verifyMfa', { body: { mfa_token, code } })
  }
  if (response.password_change_required) {
    throw new CommandFailure(
      'The service generated this password. Choose your own first: open the console, or POST /auth/password.',
    )
  }
  return tokensOf(response)
}

/** Whether the key is accepted. @returns the slug of its workspace */
async function workspaceOfKey(baseUrl: string, apiKey: string): Promise<string | undefined> {
  const { items } = await createClient({ baseUrl, apiKey }).call('listWorkspaces')
  return items[0]?.slug
}

interface Opened {
  email: string
  session: SessionTokens
}

async function passwordSession(
  baseUrl: string,
  known: string | undefined,
  options: LoginOptions,
): Promise<Opened> {
  const email = options.email ?? known ?? (await ask('Email'))
  return { email, session: await signIn(createClient({ baseUrl }), email, options) }
}

async function browserSession(baseUrl: string, { open }: LoginOptions): Promise<Opened> {
  const session = await signInByBrowser(baseUrl, open)
  const { email } = await createClient({ baseUrl, token: session.accessToken }).call('getMe')
  return { email, session }
}

async function login(options: LoginOptions, command: Command): Promise<void> {
  const { name, profile } = chooseProfile(command)
  const { url, workspace } = profile
  const kept = { url, ...(workspace !== undefined && { workspace }) }
  if (options.apiKeyStdin) {
    const apiKey = await readSecret()
    const own = await workspaceOfKey(url, apiKey)
    const members = { ...kept, apiKey, ...(own !== undefined && { workspace: own }) }
    await withLock(async () => {
      changeProfiles((stored) => {
        stored.profiles[name] = members
        stored.current = name
      })
    })
    return say(`The profile ${name} uses the key, for the workspace ${own}.`)
  }
  const { email, session } = usesBrowser(options)
    ? await browserSession(url, options)
    : await passwordSession(url, profile.email, options)
  await withLock(async () => {
    changeProfiles((stored) => {
      stored.profiles[name] = { ...kept, email, session }
      stored.current = name
    })
  })
  say(`Signed in at ${url} as ${email}. The tokens are in ${profilesFile()}.`)
}

async function logout(_options: object, command: Command): Promise<void> {
  const context = openContext(command)
  const { name, profile } = context
  // A key is revoked by `keys revoke`; here it is only removed from the profile.
  if (profile.apiKey === undefined) await context.client.call('logout')
  await withLock(async () => {
    changeProfiles(({ profiles }) => {
      const { url, workspace } = profile
      profiles[name] = { url, ...(workspace !== undefined && { workspace }) }
    })
  })
  say(`The profile ${name} has no credential any more.`)
}

function addProfiles(program: Command): void {
  const group = addGroup(program, 'profiles', 'Services that you have signed in to')
  group
    .command('list')
    .summary('List the profiles')
    .action(async (_options: object, command: Command) => {
      const { current, profiles } = readProfiles()
      const rows = Object.entries(profiles).map(([name, { url, workspace, email, apiKey }]) => ({
        name,
        current: name === current,
        url,
        workspace: workspace ?? null,
        credential: apiKey === undefined ? (email ?? null) : 'platform key',
      }))
      const { output } = chooseProfile(command)
      await output.list(rows, ['name', 'current', 'url', 'workspace', 'credential'])
    })
  const change = (verb: string, summary: string, act: (name: string) => void): void => {
    group
      .command(`${verb} <name>`)
      .summary(summary)
      .action(async (name: string) => {
        if (readProfiles().profiles[name] === undefined) {
          throw new CommandFailure(`There is no profile ${name}.`, exitCodes.notFound)
        }
        await withLock(async () => act(name))
      })
  }
  change('use', 'Make a profile the one that commands use', (name) =>
    changeProfiles((stored) => (stored.current = name)),
  )
  change('delete', 'Delete a profile with its tokens', (name) =>
    changeProfiles(({ profiles }) => delete profiles[name]),
  )
}

function addWorkspaces(program: Command): void {
  const group = addGroup(program, 'workspaces', 'The workspaces that you can see')
  addList(group, 'list', {
    summary: 'List workspaces',
    operation: 'listWorkspaces',
    columns: ['slug', 'name', 'role', 'status', 'id'],
    isGlobal: true,
  })
  group
    .command('use <workspace>')
    .summary('Make a workspace the one that commands of this profile use')
    .action(async (workspace: string, _options: object, command: Command) => {
      const context = openContext(command)
      context.profile.workspace = workspace
      await context.client.call('getWorkspace', { params: { id: await context.workspace() } })
      await withLock(async () => storeProfile(context.name, { workspace }))
    })
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .summary('Sign in, in the browser, with a password or a platform key')
    .description(
      'Sign in, in the browser, with a password or a platform key.\n\nOn a terminal it opens the ' +
        'console, where you sign in as usual, by passkey or second factor as well, and allow it. ' +
        'With an address it asks for the password instead, and for a second factor if the account ' +
        'has one. The tokens are stored in a file that only you can read.',
    )
    .option('--browser', 'sign in in the browser, also without a terminal')
    .option('--no-open', 'only print the address for the browser')
    .option('--email <address>', 'of the account: sign in with its password')
    .option('--password-stdin', 'read the password from standard input')
    .option('--code <code>', 'of the authenticator, or a recovery code')
    .option('--api-key-stdin', 'read a platform key from standard input, instead of signing in')
    .action(login)
  program.command('logout').summary('End the session and delete its tokens').action(logout)
  program
    .command('whoami')
    .summary('Show the account that has signed in')
    .action(async (_options: object, command: Command) => {
      const { client, output, profile } = openContext(command)
      const { url, apiKey } = profile
      if (apiKey === undefined) {
        const me = await client.call('getMe')
        const workspaces: object[] = []
        for await (const { id, slug, role } of client.pages('listWorkspaces')) {
          workspaces.push({ id, slug, role })
        }
        return output.one({ url, ...me, workspaces })
      }
      return output.one({ url, key: `…${apiKey.slice(-4)}`, workspace: profile.workspace })
    })
  addProfiles(program)
  addWorkspaces(program)
}
