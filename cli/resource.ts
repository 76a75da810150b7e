/** The commands that most resources have in common, described as data. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CallId, PagesId } from '../sdk/calls.ts'
import { filters } from '../sdk/filters.ts'
import { type AnyClient, type Context, openContext } from './context.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import type { Row } from './output.ts'

/** Adds a group of commands. */
export const addGroup = (program: Command, name: string, summary: string): Command =>
  program.command(name).summary(summary).description(`${summary}.`).helpCommand(false)

export function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('A whole number from 1.')
  return count
}

/** @throws CommandFailure that names what it is */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailure(`${what} is not JSON.`, exitCodes.usage)
  }
}

export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
  } catch {
    // The message is the same.
  }
  throw new InvalidArgumentError('A JSON object.')
}

/** For `--tag key=value`, which may be repeated. */
export function collectPair(text: string, before: Record<string, string> = {}) {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Of the form key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

interface Listed {
  summary: string
  operation: PagesId
  columns: readonly string[]
  /** Names of query parameters besides the filter; each is an option. */
  query?: Readonly<Record<string, string>>
  /** Path parameters besides the workspace, from the arguments of the command. */
  arguments?: readonly string[]
  params?: (context: Context, ...named: string[]) => Promise<object> | object
  /** For operations outside of a workspace. */
  isGlobal?: true
}

const DEFAULT_LIMIT = 100
const MAX_PAGE = 200

/** The first items of a list, read by pages no larger than needed. */
async function* take(
  client: AnyClient,
  operation: string,
  input: { params: object; query: object },
  limit: number,
): AsyncGenerator<Row> {
  let left = limit
  const query = { ...input.query, limit: Math.min(limit, MAX_PAGE) }
  for await (const item of client.pages(operation, { ...input, query })) {
    yield item
    left -= 1
    if (left === 0) return
  }
}

function filterHelp(operation: string): string | undefined {
  const fields = (filters as Readonly<Record<string, readonly { name: string }[]>>)[operation]
  return fields && `\nFields of --filter: ${fields.map(({ name }) => name).join(', ')}`
}

async function paramsOf(
  context: Context,
  listed: Pick<Listed, 'params' | 'isGlobal'>,
  named: string[],
) {
  const own = await listed.params?.(context, ...named)
  return listed.isGlobal ? { ...own } : { id: await context.workspace(), ...own }
}

/** `list`: prints a list, page by page. */
export function addList(group: Command, name: string, listed: Listed): Command {
  const { operation, columns, query = {}, arguments: names = [] } = listed
  const command = group.command([name, ...names].join(' ')).summary(listed.summary)
  command.description(`${listed.summary}.`)
  const help = filterHelp(operation)
  if (help !== undefined) {
    command.option('-f, --filter <filter>', 'only those for which the filter holds')
    command.addHelpText('after', help)
  }
  for (const [option, text] of Object.entries(query)) {
    command.option(`--${option.replaceAll('_', '-')} <value>`, text)
  }
  command.option('-n, --limit <count>', 'at most so many', parseCount, DEFAULT_LIMIT)
  command.option('--all', 'all of them')
  return command.action(async (...given: unknown[]) => {
    const context = openContext(command)
    const named = given.slice(0, names.length) as string[]
    const options = command.opts<{ filter?: string; limit: number; all?: true }>()
    const wanted = Object.keys(query).map((each) => {
      const option = each.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
      return [each, (options as Record<string, unknown>)[option]] as const
    })
    const input = {
      params: await paramsOf(context, listed, named),
      query: { filter: options.filter, ...Object.fromEntries(wanted) },
    }
    const limit = options.all ? Number.POSITIVE_INFINITY : options.limit
    await context.output.list(take(context.any, operation, input, limit), columns)
  })
}

interface Called {
  summary: string
  operation: CallId
  arguments?: readonly string[]
  params?: (context: Context, ...named: string[]) => Promise<object> | object
  isGlobal?: true
  /** The text printed when the response has no body. */
  done?: string
}

/** A command that is one request, and prints the resource of its response. */
export function addCall(group: Command, name: string, called: Called): Command {
  const { operation, arguments: names = [], done = 'Done.' } = called
  const command = group
    .command([name, ...names].join(' '))
    .summary(called.summary)
    .description(`${called.summary}.`)
  return command.action(async (...given: unknown[]) => {
    const context = openContext(command)
    const named = given.slice(0, names.length) as string[]
    const params = await paramsOf(context, called, named)
    const response = await context.any.call(operation, { params })
    if (response === undefined) process.stderr.write(`${done}\n`)
    else context.output.one(response)
  })
}

/** An option with a few values. */
export const choice = (flags: string, text: string, values: readonly string[]): Option =>
  new Option(flags, text).choices(values)
