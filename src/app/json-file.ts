/** Settings files in JSON: parsed strictly, with messages that name the variable. */
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from '../platform/config/config.ts'
import { Failure } from '../platform/errors/errors.ts'
import { MalformedJson, parseJson } from '../platform/lib/json.ts'
import { describeSystemError } from '../platform/lib/system-errors.ts'
import type { Log } from '../platform/log.ts'

type Refuse = (must: string) => never

/** @param name the variable that names the file */
export const refusalOf =
  (name: string): Refuse =>
  (must) => {
    throw new ConfigError(`${name} ${must}`)
  }

const OF_OTHERS = 0o007

/** @param name the variable that names the file */
export function warnOfReaders(name: string, file: string, log: Log): void {
  if ((statSync(file).mode & OF_OTHERS) === 0) return
  log('warn', `${name} contains secrets and is readable by every user of the machine`, { file })
}

/** The first value that is there twice. */
export const repeated = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index)

/**
 * @param use checks the contents and converts them
 * @param help follows what is wrong with the contents
 * @throws ConfigError
 */
export function readJsonFile<T>(
  file: string,
  refuse: Refuse,
  use: (value: unknown) => T,
  help?: string,
): T {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return refuse(`names a file that cannot be read: ${describeSystemError(error, file)}`)
  }
  try {
    return use(parseJson(bytes))
  } catch (error) {
    if (error instanceof MalformedJson) return refuse(`is not JSON: ${error.message}`)
    if (error instanceof Failure)
      return refuse(`is invalid: ${[error.message, help].filter(Boolean).join(' ')}`)
    throw error
  }
}
