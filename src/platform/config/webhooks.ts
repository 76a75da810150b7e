/** Configuration variables of webhooks. */
import { integer, names, refuse, type Variable } from './kinds.ts'

/** The schedule that Standard Webhooks recommends: three days. */
const PAUSES = '5,300,1800,7200,18000,36000,50400,72000,86400'
const MOST_PAUSES = 50
const LONGEST_PAUSE_S = 604_800

const pauses = (name: string, fallback: string, about: string): Variable<number[]> => ({
  name,
  fallback,
  about,
  read(value = fallback) {
    const items = value.split(',').map(Number)
    const isGood = items.every((item) => item > 0 && item <= LONGEST_PAUSE_S)
    if (isGood && items.length <= MOST_PAUSES) return items
    return refuse(name, `must hold up to ${MOST_PAUSES} numbers of seconds, separated by commas`)
  },
})

export const webhookVariables = {
  webhookAllowedHosts: names(
    'MOORING_WEBHOOK_ALLOWED_HOSTS',
    'Host names and addresses that webhooks may be sent to though they are not of the open Internet, and without TLS.',
  ),
  webhookRetryPauses: pauses(
    'MOORING_WEBHOOK_RETRY_S',
    PAUSES,
    'Seconds between the tries of what a receiver of webhooks does not take. After all of them it is a dead letter, and a receiver that has taken nothing meanwhile is disabled.',
  ),
  webhookTimeoutS: integer(
    'MOORING_WEBHOOK_TIMEOUT_S',
    15,
    [1, 30],
    'Seconds that a receiver of webhooks has for its whole answer.',
  ),
  webhookLogDays: integer(
    'MOORING_WEBHOOK_LOG_DAYS',
    7,
    [1, 3_650],
    'Days for which it can be looked up what was delivered to webhooks. Dead letters are kept as long as events, or so long.',
  ),
}
