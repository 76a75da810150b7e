/** What stands for parameters in the paths of operations. */
import type { FailureCode } from '../errors.ts'
import type { IdPrefix } from '../lib/ids.ts'

/** A path parameter that is an id: anything else in its place is the same 404 as an unknown id. */
export interface IdParam {
  prefix: IdPrefix
  missing: FailureCode
}

/** A path parameter that counts from 1; it finds something only below an id. */
export interface NumberParam {
  prefix: undefined
  missing: FailureCode
}

export const numberParam = (missing: FailureCode): NumberParam => ({ prefix: undefined, missing })

export const idParam = (prefix: IdPrefix, missing: FailureCode): IdParam => ({ prefix, missing })
