/** The plans file: read once at startup; an invalid one stops the start and names the member. */
import { faultOfPlans } from '../features/metering/plans/plan.ts'
import { PlansFile } from '../features/metering/plans/schema.ts'
import { bodyCheck } from '../platform/http/validation.ts'
import { readJsonFile, refusalOf } from './json-file.ts'

const refuse = refusalOf('MOORING_PLANS_FILE')

const check = bodyCheck(PlansFile, 'refuse')

/** @throws ConfigError naming the place and the problem */
export function readPlans(file: string | undefined): PlansFile | undefined {
  if (file === undefined) return undefined
  const use = (value: unknown): PlansFile => {
    check(value)
    const plans = value as PlansFile
    const fault = faultOfPlans(plans)
    return fault === undefined ? plans : refuse(`is invalid: ${fault}.`)
  }
  return readJsonFile(file, refuse, use)
}
