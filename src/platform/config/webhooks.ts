/** Configuration variables of webhooks. */
import { isIP } from 'node:net'
import { integer, list, refuse, type Variable } from './kinds.ts'

/** The schedule that Standard Webhooks recommends: three days. */
const PAUSES = '5,300,1800,7200,18000,36000,50400,72000,86400'
const MAX_PAUSES = 50
const LONGEST_PAUSE_S = 604_800

const pauses = (name: string, fallback: string, about: string): Variable<number[]> => ({
  name,
  fallback,
  about,
  read(value = fallback) {
    const items = value.split(',').map(Number)
    const isValid = items.every((item) => item > 0 && item <= LONGEST_PAUSE_S)
    if (isValid && items.length <= MAX_PAUSES) return items
    return refuse(name, `must hold up to ${MAX_PAUSES} numbers of seconds, separated by commas`)
  },
})

/** Host names and addresses as URLs contain them. */
const names = (name: string, about: string): Variable<string[]> => {
  const isName = (item: string): boolean => isIP(item) !== 0 || /^[a-z0-9._-]+$/.test(item)
  const must = 'must hold host names or IP addresses without a port'
  const all = list(name, 'none', about, isName, must)
  return { ...all, read: (value) => all.read(value?.toLowerCase()) }
}

export const webhookVariables = {
  webhookAllowedHosts: names(
    'MOORING_WEBHOOK_ALLOWED_HOSTS',
    'Host names and addresses that webhooks may be sent to though they are not of the open Internet, and without TLS.',
  ),
  webhookRetryPauses: pauses(
    'MOORING_WEBHOOK_RETRY_S',
    PAUSES,
    'Seconds between the attempts of a failing webhook delivery. After the last attempt the delivery is a dead letter. A webhook whose receiver accepted nothing meanwhile is disabled.',
  ),
  webhookTimeoutS: integer(
    'MOORING_WEBHOOK_TIMEOUT_S',
    15,
    [1, 30],
    'Seconds within which a webhook receiver must complete its response.',
  ),
  webhookLogDays: integer(
    'MOORING_WEBHOOK_LOG_DAYS',
    7,
    [1, 3_650],
    'Days for which webhook deliveries are kept. Dead letters are kept for this time or as long as events, whichever is longer.',
  ),
}
