/** Settings files in JSON: parsed strictly, with messages that name the variable. */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../platform/config/config.ts'
import { Failure } from '../platform/errors/errors.ts'
import { MalformedJson, parseJson } from '../platform/lib/json.ts'
import { describeSystemError } from '../platform/lib/system-errors.ts'

type Refuse = (must: string) => never

/** @param name the variable that names the file */
export const refusalOf =
  (name: string): Refuse =>
  (must) => {
    throw new ConfigError(`${name} ${must}`)
  }

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
