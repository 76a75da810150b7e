/** The context of every command: a client with the credential of the profile, and its output. */
import type { Command } from 'commander'
import { type Client, createClient } from '../sdk/client.ts'
import { isExpiring, keepSession, type SessionTokens } from '../sdk/session.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import { createOutput, type Output, type Row } from './output.ts'
import { type Profile, readProfiles, storeProfile, withLock } from './profiles.ts'

export interface GlobalOptions {
  profile?: string
  url?: string
  workspace?: string
  output: string
}

/** The profile that a command uses, with what its options and the environment override. */
export interface ChosenProfile {
  name: string
  profile: Profile
  output: Output
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

export function chooseProfile(command: Command): ChosenProfile {
  const options = command.optsWithGlobals<GlobalOptions>()
  const { env } = process
  const stored = readProfiles()
  const name = options.profile ?? (env['MOORING_PROFILE'] || stored.current)
  const kept = stored.profiles[name]
  const url = options.url ?? (env['MOORING_URL'] || kept?.url || DEFAULT_URL)
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    throw new CommandFailure(
      `${url} is not the address of a service, such as https://mooring.example.com.`,
      exitCodes.usage,
    )
  }
  // A session must not be sent to another service than the one that issued it.
  const profile: Profile = url === kept?.url ? { ...kept } : { url }
  const workspace = options.workspace ?? env['MOORING_WORKSPACE']
  if (workspace) profile.workspace = workspace
  if (env['MOORING_API_KEY']) profile.apiKey = env['MOORING_API_KEY']
  return { name, profile, output: createOutput(options.output) }
}

/** The present access token of a stored session. One process at a time renews it. */
export function storedToken(
  { name, profile: { url } }: ChosenProfile,
  member: 'session' | 'phone',
  tokens: SessionTokens,
): () => Promise<string> {
  let known = tokens
  return async () => {
    if (!isExpiring(known)) return known.accessToken
    return withLock(async () => {
      known = readProfiles().profiles[name]?.[member] ?? known
      const kind = member === 'session' ? 'user' : 'phone'
      const onTokens = (renewed: SessionTokens): void => {
        known = renewed
        storeProfile(name, { [member]: renewed })
      }
      return keepSession({ baseUrl: url, kind, tokens: known, onTokens })()
    })
  }
}

function openClient(chosen: ChosenProfile): Client {
  const { url: baseUrl, apiKey, session } = chosen.profile
  if (apiKey !== undefined) return createClient({ baseUrl, apiKey })
  if (session === undefined) {
    throw new CommandFailure(
      `No sign-in for ${baseUrl} in the profile ${chosen.name}. Sign in with: mooring login`,
      exitCodes.unauthenticated,
    )
  }
  return createClient({ baseUrl, token: storedToken(chosen, 'session', session) })
}

/** Operations by name, where a command is described as data and the compiler knows none. */
export interface AnyClient {
  call(id: string, input?: object): Promise<Row | undefined>
  pages(id: string, input?: object): AsyncGenerator<Row>
}

export interface Context extends ChosenProfile {
  client: Client
  any: AnyClient
  /** The id of the workspace that was named, or of the only one. */
  workspace: () => Promise<string>
}

async function findWorkspace(client: Client, wanted: string | undefined): Promise<string> {
  if (wanted?.startsWith('ws_')) return wanted
  const slugs: string[] = []
  const ids: string[] = []
  for await (const { id, slug } of client.pages('listWorkspaces')) {
    if (slug === wanted) return id
    slugs.push(slug)
    ids.push(id)
  }
  if (wanted !== undefined) {
    throw new CommandFailure(
      `There is no workspace ${wanted} that you can see.`,
      exitCodes.notFound,
    )
  }
  if (ids[0] !== undefined && ids.length === 1) return ids[0]
  if (ids.length === 0) throw new CommandFailure('You belong to no workspace.', exitCodes.notFound)
  throw new CommandFailure(
    `Name one of your workspaces with --workspace: ${slugs.join(', ')}.`,
    exitCodes.usage,
  )
}

export function openContext(command: Command): Context {
  const chosen = chooseProfile(command)
  const client = openClient(chosen)
  let found: Promise<string> | undefined
  return {
    ...chosen,
    client,
    any: client,
    workspace: () => (found ??= findWorkspace(client, chosen.profile.workspace)),
  }
}

/** The id of a device that is named by its id or its key. */
export async function findDevice({ client, workspace }: Context, named: string): Promise<string> {
  if (named.startsWith('dev_')) return named
  const filter = `device_key = ${JSON.stringify(named)}`
  const params = { id: await workspace() }
  const { items } = await client.call('listDevices', { params, query: { filter, limit: 1 } })
  const [device] = items
  if (device !== undefined) return device.id
  throw new CommandFailure(`There is no device with the key ${named}.`, exitCodes.notFound)
}
