/** A failure, as a sentence and an exit code that scripts can decide by. */
import { CommanderError } from 'commander'
import { MooringError } from '../sdk/client.ts'
import { WebhookError } from '../sdk/webhooks.ts'
import { printable } from './printable.ts'

export const exitCodes = {
  done: 0,
  /** The service refused the request, for any other reason than those below. */
  refused: 1,
  /** An invalid command, option or setting. */
  usage: 2,
  /** No valid credential: sign in. */
  unauthenticated: 3,
  /** The caller lacks the right. */
  forbidden: 4,
  notFound: 5,
  /** The service cannot be reached, is overloaded or failed: try again. */
  unavailable: 6,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command cannot do what was requested; the message explains why, and what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = exitCodes.refused) {
    super(message)
    this.exitCode = exitCode
  }
}

function codeOf({ status }: MooringError): ExitCode {
  if (status === 401) return exitCodes.unauthenticated
  if (status === 403) return exitCodes.forbidden
  if (status === 404) return exitCodes.notFound
  return status === 429 || status >= 500 ? exitCodes.unavailable : exitCodes.refused
}

/** Members of requests and the options that set them; members of a query have the same name. */
const optionOf: Readonly<Record<string, string>> = {
  '/config': '--config',
  '/default_config': '--config',
  '/description': '--description',
  '/device_ids': '--device',
  '/device_key': '--key',
  '/device_quota': '--quota',
  '/expires_at': '--expires',
  '/expires_in': '--expires',
  '/filter': '--filter',
  '/hardware_id': '--hardware-id',
  '/model_key': '--model',
  '/parameters/config': '--config',
  '/parameters/name': '--command',
  '/parameters/payload': '--payload',
  '/parameters/remove': '--remove-tag',
  '/parameters/set': '--set-tag',
  '/parameters/template_id': '--template',
  '/serial_format': '--serial-format',
  '/tags': '--tag',
  '/template_id': '--template',
  '/timeout_s': '--timeout',
  '/types': '--types',
}

/** The pointer that a message begins with, as the option. */
const inOptions = (message: string): string =>
  message.replace(
    /^(\/[\w/]+)(?= )/,
    (pointer) => optionOf[pointer] ?? pointer.replace(/^\/query\/(\w+)$/, '--$1'),
  )

function refusalText(error: MooringError): string {
  const lines = [inOptions(error.detail)]
  // The detail contains the first one.
  for (const { pointer, message } of error.pointers.slice(1))
    lines.push(inOptions(`${pointer} ${message}`))
  if (error.status === 401) {
    const isOfKey = (process.env['MOORING_API_KEY'] ?? '') !== ''
    lines.push(isOfKey ? 'It is the key in MOORING_API_KEY.' : 'Sign in with: mooring login')
  }
  if (error.code === 'unknown') lines.push('The response is not from Mooring: check the address.')
  if (error.retryAfter !== undefined) lines.push(`Try again in ${error.retryAfter} seconds.`)
  return lines.join('\n')
}

/** `fetch` reports every failure of the network as a TypeError, with the reason as its cause. */
function networkText(error: Error): string | undefined {
  const cause = error.cause as NodeJS.ErrnoException | undefined
  if (!(error instanceof TypeError) || cause === undefined) return undefined
  return `The service cannot be reached: ${cause.message || cause.code}.`
}

/** Prints what went wrong. */
export function reportFailure(error: unknown): ExitCode {
  // commander has printed it already.
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  }
  const say = (text: string): void => {
    const lines = `mooring: ${text}`.split('\n').map(printable)
    process.stderr.write(`${lines.join('\n')}\n`)
  }
  if (error instanceof MooringError) {
    say(refusalText(error))
    return codeOf(error)
  }
  if (error instanceof CommandFailure) {
    say(error.message)
    return error.exitCode
  }
  if (!(error instanceof Error)) throw error
  const network = networkText(error)
  if (network !== undefined) {
    say(network)
    return exitCodes.unavailable
  }
  if ('code' in error && error.code === 'ENOENT' && 'path' in error) {
    say(`There is no file ${String(error.path)}.`)
    return exitCodes.usage
  }
  const isExpected = error instanceof WebhookError || 'code' in error
  say(isExpected ? error.message : (error.stack ?? error.message))
  return exitCodes.refused
}
