/** The plans file: read once, at the start; a wrong one stops it, naming the member. */
import { faultOfPlans } from '../features/plans/plan.ts'
import { PlansFile } from '../features/plans/schema.ts'
import { bodyCheck } from '../http/validation.ts'
import { readJsonFile, refusalOf } from './json-file.ts'

const refuse = refusalOf('MOORING_PLANS_FILE')

const check = bodyCheck(PlansFile, 'refuse')

/** @throws ConfigError that says what is wrong with it, and where. */
export function readPlans(file: string | undefined): PlansFile | undefined {
  if (file === undefined) return undefined
  return readJsonFile(file, refuse, (value) => {
    check(value)
    const plans = value as PlansFile
    const fault = faultOfPlans(plans)
    return fault === undefined ? plans : refuse(`is not right: ${fault}.`)
  })
}
