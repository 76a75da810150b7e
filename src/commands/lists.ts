/** `mooring … list`: lists the things of an installation for its operator. */
import { type Command, InvalidArgumentError } from 'commander'
import type { ListName } from '../features/workspaces/installation/lists.ts'
import { addCommand, CommandFailure, print, say } from './command.ts'
import { inColumns } from './table.ts'

/** Control characters in a name must not reach the terminal. */
const textOf = (value: string | number | boolean | null): string =>
  String(value ?? '').replaceAll(/\p{C}/gu, '\u{FFFD}')

interface Flags {
  limit: number
  workspace?: string
  json?: true
}

const MAX_LIMIT = 1_000_000

function readLimit(text: string): number {
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`)
}

async function list(name: ListName, { limit, workspace: slug, json }: Flags): Promise<void> {
  const { lists } = await import('../features/workspaces/installation/lists.ts')
  const { withInstallation, requireWorkspace } = await import('./installation/session.ts')
  const rows = await withInstallation({}, async ({ db }) => {
    if (slug !== undefined) await requireWorkspace(db, slug)
    // One more shows whether there are more.
    return lists[name](db, { limit: limit + 1, slug })
  })
  const shown = rows.slice(0, limit)
  const [first] = shown
  if (json) for (const row of shown) print(JSON.stringify(row))
  else if (first === undefined) say(`There are no ${name}.`)
  else {
    const cells = shown.map((row) => Object.values(row).map(textOf))
    print(inColumns(Object.keys(first), cells))
  }
  if (rows.length > limit) {
    throw new CommandFailure(`There are more than ${limit}: raise --limit.`)
  }
}

const OF_ONE: readonly ListName[] = ['keys', 'invitations']

/** Adds `list` to the group of commands with this name. */
export function addList(group: Command, name: ListName): void {
  const command = addCommand(group, 'list', {
    summary: `List ${name} of the installation`,
    more: 'Works with and without a running service. It prints no secret.',
    examples: [
      `${name} list`,
      `${name} list ${OF_ONE.includes(name) ? '--workspace main ' : ''}--json`,
    ],
    failsWhen:
      'there are more than the limit, which are then not printed, or the database is not available',
  })
  if (OF_ONE.includes(name)) command.option('--workspace <slug>', 'only those of this workspace')
  command
    .option('--limit <count>', 'print at most so many', readLimit, 1_000)
    .option('--json', 'print one JSON object for each, on a line of its own')
    .action((flags: Flags) => list(name, flags))
}

export function addInvitations(program: Command): void {
  const invitations = program.command('invitations').summary('List invitations to workspaces')
  invitations.description('Invitations to workspaces.')
  addList(invitations, 'invitations')
}
