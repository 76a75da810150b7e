/** The plans file: read once at startup; an invalid one stops the start and names the member. */
import { faultOfPlans } from '../features/plans/plan.ts'
import { PlansFile } from '../features/plans/schema.ts'
import { bodyCheck } from '../http/validation.ts'
import { readJsonFile, refusalOf, wordsBy } from './json-file.ts'

const refuse = refusalOf('MOORING_PLANS_FILE')

const ID =
  'must be 2 to 40 small letters, digits and dashes, begin with a letter, and not end with a dash'

const wordsOf = wordsBy(
  {
    id: ID,
    default_plan: ID,
    currency: 'must be three capital letters, such as EUR (ISO 4217)',
    name: 'must be more than white space, without line breaks and other control characters',
  },
  {
    'must NOT have fewer than 1 items': 'must have at least one plan',
    'is not a member that this operation knows': 'is not known here',
  },
)

const check = bodyCheck(PlansFile, 'refuse')

/** @throws ConfigError naming the place and the problem */
export function readPlans(file: string | undefined): PlansFile | undefined {
  if (file === undefined) return undefined
  const use = (value: unknown): PlansFile => {
    check(value)
    const plans = value as PlansFile
    const fault = faultOfPlans(plans)
    return fault === undefined ? plans : refuse(`is not right: ${fault}.`)
  }
  return readJsonFile(file, refuse, use, wordsOf)
}
