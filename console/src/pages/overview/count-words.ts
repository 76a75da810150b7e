/** Words for the counts of the overview. */
import type { Overview as Counts } from '../../../../sdk/schema.ts'
import { numberText } from '../../kit/numbers.ts'

/** `1,204`, or `10,000+`. */
export const countText = ({ value, is_lower_bound }: Counts['open_jobs']): string =>
  `${numberText(value)}${is_lower_bound ? '+' : ''}`

/** The search of a list's address. */
export const filterOf = (filter: string) => ({ filter }) as never
