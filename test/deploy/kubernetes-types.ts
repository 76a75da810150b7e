/**
 * Checks manifests against the published types of Kubernetes: unknown and missing members, values
 * of another type. `kubernetes-types.json` has those that our kinds can reach, as
 * `kubernetes-declarations.ts` reads them out of kubernetes-models 5.1.0; `helm.test.ts` writes it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/sources.ts'

/**
 * `string`, `number`, `boolean`, `any`; `#Name` of another type; `=A|B` one of these; `[type]` a
 * list of it. A member whose name ends in `!` is required; `*` stands for any name.
 */
export type Type = string | [Type] | { [member: string]: Type }

export interface Types {
  /** By API version and kind. */
  kinds: Record<string, string>
  types: Record<string, Type>
}

export const typesFile = join(ROOT, 'test/fixtures/kubernetes-types.json')
const { kinds, types } = JSON.parse(readFileSync(typesFile, 'utf8')) as Types

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function checkMembers(
  value: Record<string, unknown>,
  type: Record<string, Type>,
  at: string,
): string[] {
  const missing = Object.keys(type)
    .filter((name) => name.endsWith('!') && value[name.slice(0, -1)] === undefined)
    .map((name) => `${at}/${name.slice(0, -1)} is missing`)
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const found = type[name] ?? type[`${name}!`] ?? type['*']
    return found === undefined
      ? [`${at}/${name} is unknown`]
      : check(member, found, `${at}/${name}`)
  })
  return [...missing, ...wrong]
}

function check(value: unknown, type: Type, at: string): string[] {
  if (type === 'any') return []
  if (typeof type === 'string' && type.startsWith('#')) {
    return check(value, types[type.slice(1)] ?? 'any', at)
  }
  if (typeof type === 'string' && type.startsWith('=')) {
    return type.slice(1).split('|').includes(String(value)) ? [] : [`${at} must be one of ${type}`]
  }
  if (typeof type === 'string') return typeof value === type ? [] : [`${at} must be a ${type}`]
  if (Array.isArray(type)) {
    if (!Array.isArray(value)) return [`${at} must be a list`]
    return value.flatMap((item, index) => check(item, type[0], `${at}/${index}`))
  }
  return isObject(value) ? checkMembers(value, type, at) : [`${at} must be an object`]
}

/** The faults of a manifest. */
export function wrongIn(manifest: Record<string, unknown>): string[] {
  const { apiVersion, kind } = manifest
  const name = `${String(apiVersion)}/${String(kind)}`
  const type = kinds[name]
  return type === undefined ? [`${name} is not known here`] : check(manifest, `#${type}`, name)
}
