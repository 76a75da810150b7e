/** Kinds of path parameters. */
import type { FailureCode } from '../errors/errors.ts'
import type { IdPrefix } from '../lib/ids.ts'

/** An id; anything malformed is the same 404 as an unknown id. */
export interface IdParam {
  prefix: IdPrefix
  missing: FailureCode
  /** Firmware sends it, perhaps as a bare UUID. */
  isSentByDevices?: true
}

/** A number counting from 1; only meaningful below an id. */
export interface NumberParam {
  prefix: undefined
  missing: FailureCode
}

export const numberParam = (missing: FailureCode): NumberParam => ({ prefix: undefined, missing })

/** An id in the path of a route for devices. */
export const sentIdParam = (prefix: IdPrefix, missing: FailureCode): IdParam => ({
  prefix,
  missing,
  isSentByDevices: true,
})

export const idParam = (prefix: IdPrefix, missing: FailureCode): IdParam => ({ prefix, missing })
