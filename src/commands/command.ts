/**
 * Shared by all commands: the layout of help, and the handling of failures, which print one line
 * and exit with a code that distinguishes wrong settings from failures. Only bugs show a stack
 * trace.
 */
import { readFileSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import { ConfigError } from '../platform/config/kinds.ts'
import { Failure } from '../platform/errors/errors.ts'
import { isCheckout } from '../app/project.ts'
import { describeSystemError } from '../platform/lib/system-errors.ts'

export const DONE = 0
export const FAILED = 1
const WRONG_USE = 2

/** The text that people type before the name of a command. */
export const invocation = isCheckout ? 'npm run -s mooring --' : 'npx mooring'

/** A command cannot do what was requested; the message explains why. */
export class CommandFailure extends Error {
  override name = 'CommandFailure'
}

/** Messages for people, as opposed to a command's output. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)

/**
 * The text of a file that the command needs.
 * @param what names it, in the failure
 * @throws CommandFailure
 */
export function readText(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = describeSystemError(error, path)
    throw new CommandFailure(`${what} cannot be read: ${why}.`, { cause: error })
  }
}

/** A command's output. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`)

export interface Help {
  summary: string
  /** Paragraphs after the first line of the help. */
  more?: string
  /** The words after `invocation`, as typed. */
  examples: readonly string[]
  /** Explains exit code 1; 0 and 2 mean the same everywhere. */
  failsWhen: string
}

/** Adds a command with its help to a program or a group of commands. */
export function addCommand(parent: Command, name: string, help: Help): Command {
  const examples = help.examples.map((line) => `  ${invocation} ${line}`).join('\n')
  return parent
    .command(name)
    .summary(help.summary)
    .description(help.more === undefined ? `${help.summary}.` : `${help.summary}.\n\n${help.more}`)
    .addHelpText(
      'after',
      `
${help.examples.length > 1 ? 'Examples' : 'Example'}:
${examples}

Exit codes:
  0  success
  1  ${help.failsWhen}
  2  an invalid option or setting`,
    )
}

/** A rule's refusal in terms of the command line: `names` maps members to options. */
export function refusalText(
  failure: Failure,
  names: Readonly<Record<string, string>> = {},
): string {
  const [field] = failure.options.errors ?? []
  if (field === undefined) return failure.message
  return `${names[field.pointer] ?? field.pointer} ${field.message}`
}

/** Whether an error is a bug. */
const isOurs = (error: unknown): boolean =>
  !(error instanceof Error) ||
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof SyntaxError

/** Prints what went wrong. @returns the exit code */
export function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USE
  if (isOurs(error)) say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  else {
    const text = error instanceof Failure ? refusalText(error) : describeSystemError(error)
    say(`mooring: ${text}`)
  }
  return error instanceof ConfigError ? WRONG_USE : FAILED
}

/** Runs the requested command and sets the exit code. */
export async function runCommand(program: Command, argv: readonly string[]): Promise<void> {
  // A reader may stop early, as `head` does.
  process.stdout.on('error', () => process.exit(DONE))
  try {
    await program.parseAsync([...argv])
  } catch (error) {
    process.exitCode = report(error)
  }
}
