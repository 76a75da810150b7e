/** Kinds of configuration variables: how each is parsed, checked and documented. */
import { isIP } from 'node:net'

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export interface Variable<T> {
  name: string
  /**
   * The default as the docs show it; the value may also be `undefined` if unset has a meaning of
   * its own.
   */
  fallback: string
  about: string
  secret?: boolean
  read: (text: string | undefined) => T
}

/** Refuses the value of a variable. */
export const refuse = (name: string, must: string): never => {
  throw new ConfigError(`${name} ${must}`)
}

export const text = (name: string, fallback: string, about: string): Variable<string> => ({
  name,
  fallback,
  about,
  read: (value) => value ?? fallback,
})

export const optional = (
  name: string,
  fallback: string,
  about: string,
  secret = false,
): Variable<string | undefined> => ({ name, fallback, about, secret, read: (value) => value })

export function integer(
  name: string,
  fallback: number,
  [min, max]: readonly [number, number],
  about: string,
): Variable<number> {
  return {
    name,
    fallback: String(fallback),
    about,
    read(value) {
      if (value === undefined) return fallback
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
      if (number >= min && number <= max) return number
      return refuse(name, `must be a whole number from ${min} to ${max}`)
    },
  }
}

export function choice<const T extends string>(
  name: string,
  values: readonly T[],
  fallback: T,
  about: string,
): Variable<T> {
  return {
    name,
    fallback,
    about: `${about} One of ${values.join(', ')}.`,
    read(value) {
      if (value === undefined) return fallback
      const found = values.find((each) => each === value)
      return found ?? refuse(name, `must be one of ${values.join(', ')}`)
    },
  }
}

/** Whether a text is an IP address or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', bits, rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest !== undefined) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** A comma-separated list of which every item must pass the check. */
export const list = (
  name: string,
  fallback: string,
  about: string,
  check: (item: string) => boolean,
  must: string,
): Variable<string[]> => ({
  name,
  fallback,
  about: `${about} Separated by commas.`,
  read(value = '') {
    const items = value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
    const wrong = items.find((item) => !check(item))
    return wrong === undefined ? items : refuse(name, `${must}, not ${wrong}`)
  },
})

export const networks = (name: string, about: string): Variable<string[]> =>
  list(name, 'none', about, isNetwork, 'must hold IP addresses or networks as 10.0.0.0/8')

export const port = (name: string, fallback: number, about: string): Variable<number> =>
  integer(name, fallback, [0, 65_535], `${about} 0 takes a free one.`)

/** The same variable, but unset has a meaning of its own. */
export const orUnset = <T>(variable: Variable<T>, fallback: string): Variable<T | undefined> => ({
  ...variable,
  fallback,
  read: (value) => (value === undefined ? undefined : variable.read(value)),
})

/** 32 bytes in base64, as `openssl rand -base64 32` prints them. */
export function readKey(name: string, value: string): Buffer {
  const key = Buffer.from(value, 'base64')
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(value)
  if (isBase64 && key.length === 32) return key
  return refuse(name, 'must hold 32 bytes in base64, as `openssl rand -base64 32` prints them')
}

export const limit = (name: string, fallback: number, about: string): Variable<number> =>
  integer(name, fallback, [1, 10_000_000], about)
