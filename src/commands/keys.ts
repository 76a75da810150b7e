/** `mooring keys`: API keys of backends and factories. */
import { type Command, Option } from 'commander'
import { addCommand, print, say } from './command.ts'
import { addList } from './lists.ts'

interface CreateOptions {
  workspace: string
  kind: 'platform' | 'provision'
  name?: string
  json?: true
}

/** The option that sets a member, for refusals. */
const options = { '/name': '--name', '/key_kind': '--kind' }

async function create({ workspace, kind, name, json }: CreateOptions): Promise<void> {
  const { createKeyOf } = await import('../features/team/api-keys/api-key.ts')
  const { CreateApiKey } = await import('../features/team/api-keys/schema.ts')
  const { bodyCheck } = await import('../platform/http/validation.ts')
  const { serviceOrigin } = await import('../platform/record/event.ts')
  const session = await import('./installation/session.ts')
  const input = { key_kind: kind, ...(name !== undefined && { name }) }
  const made = await session.withInstallation(options, async ({ db, clock, keyring }) => {
    bodyCheck(CreateApiKey, 'refuse')(input)
    const services = { db, keyring: await keyring(), clock }
    const workspaceId = await session.requireWorkspace(db, workspace)
    return createKeyOf(services, serviceOrigin, { ...input, workspaceId })
  })
  if (json) return print(JSON.stringify(made))
  say(`Created the ${kind} key ${made.id} of the workspace ${workspace}. It is printed only once:`)
  print(made.key)
}

export function addKeys(program: Command): void {
  const keys = program.command('keys').summary('List and create API keys of backends and factories')
  keys.description('API keys of backends and factories.')
  addCommand(keys, 'create', {
    summary: 'Create an API key',
    more:
      'Works with and without a running service. A platform key has the rights of an admin of ' +
      'the workspace. A provision key can only register devices.',
    examples: [
      'keys create --workspace main --kind provision --name "Factory line 1"',
      'keys create --workspace main --kind platform --json',
    ],
    failsWhen: 'there is no such workspace, or the database is not available',
  })
    .requiredOption('--workspace <slug>', 'the workspace that the key belongs to')
    .addOption(
      new Option('--kind <kind>', 'the kind of the key')
        .choices(['platform', 'provision'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'the name of the key')
    .option('--json', 'print only one JSON object')
    .action(create)
  addList(keys, 'keys')
}
