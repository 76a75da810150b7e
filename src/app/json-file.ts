/** Files of settings in JSON: read strictly, and refused in words that name their variable. */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { Failure } from '../errors.ts'
import { MalformedJson, parseJson } from '../lib/json.ts'

type Refuse = (must: string) => never

/** @param name of the variable that names the file. */
export const refusalOf =
  (name: string): Refuse =>
  (must) => {
    throw new ConfigError(`${name} ${must}`)
  }

/** Sentences without their beginning, by what they are about. */
export type MemberWords = Readonly<Record<string, string>>

/**
 * Words for a failed check: where, and what must be there.
 * @param shapes what a member must be, by its name: a pattern says that to few people.
 * @param others in the place of what the check says.
 */
export const wordsBy =
  (shapes: MemberWords, others: MemberWords) =>
  ({ message, options }: Failure): string => {
    const [first] = options.errors ?? []
    if (first === undefined) return message
    const { pointer, message: said } = first
    const member = pointer.split('/').findLast((part) => !/^\d*$/.test(part)) ?? ''
    const isShape = said.startsWith('must match ')
    const words = (isShape ? shapes[member] : others[said]) ?? (isShape ? 'is not right' : said)
    return `${pointer} ${words}.`
  }

/**
 * @param use checks what the file holds, and makes of it what it is for.
 * @param wordsOf says what a check has found.
 * @throws ConfigError
 */
export function readJsonFile<T>(
  file: string,
  refuse: Refuse,
  use: (value: unknown) => T,
  wordsOf: (failure: Failure) => string = ({ message }) => message,
): T {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return refuse(`names a file that can not be read: ${(error as Error).message}`)
  }
  try {
    return use(parseJson(bytes))
  } catch (error) {
    if (error instanceof MalformedJson) return refuse(`is not JSON: ${error.message}`)
    if (error instanceof Failure) return refuse(`is not right: ${wordsOf(error)}`)
    throw error
  }
}
