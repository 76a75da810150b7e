/** The plans file: read once, at the start; a wrong one stops it, naming the member. */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { Failure } from '../errors.ts'
import { faultOfPlans } from '../features/plans/plan.ts'
import { PlansFile } from '../features/plans/schema.ts'
import { bodyCheck } from '../http/validation.ts'
import { MalformedJson, parseJson } from '../lib/json.ts'

const NAME = 'MOORING_PLANS_FILE'

const refuse = (must: string): never => {
  throw new ConfigError(`${NAME} ${must}`)
}

const check = bodyCheck(PlansFile, 'refuse')

/** @throws ConfigError that says what is wrong with it, and where. */
export function readPlans(file: string | undefined): PlansFile | undefined {
  if (file === undefined) return undefined
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return refuse(`names a file that can not be read: ${(error as Error).message}`)
  }
  try {
    const plans = parseJson(bytes)
    check(plans)
    const fault = faultOfPlans(plans as PlansFile)
    return fault === undefined ? (plans as PlansFile) : refuse(`is not right: ${fault}.`)
  } catch (error) {
    if (error instanceof MalformedJson) return refuse(`is not JSON: ${error.message}`)
    if (error instanceof Failure) return refuse(`is not right: ${error.message}`)
    throw error
  }
}
