/** Settings files in JSON: parsed strictly, with messages that name the variable. */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { Failure } from '../errors.ts'
import { MalformedJson, parseJson } from '../lib/json.ts'

type Refuse = (must: string) => never

/** @param name the variable that names the file */
export const refusalOf =
  (name: string): Refuse =>
  (must) => {
    throw new ConfigError(`${name} ${must}`)
  }

/** Sentences without their subject, by member. */
export type MemberWords = Readonly<Record<string, string>>

/**
 * Messages for failed checks: where, and what is expected.
 * @param shapes what a member must be, by name, since a pattern tells people little
 * @param others replaces the message of the check
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
 * @param use checks the contents and converts them
 * @param wordsOf describes a failed check
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
