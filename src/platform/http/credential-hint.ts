/**
 * A hint for callers whose credential was rejected and, judging by its format alone, was sent in
 * the wrong header. The hint is the same for valid and for invented credentials.
 */
import { type CallerKind, type Carrier, carriersOf, kindNames } from '../access/principal.ts'
import { DEVICE_TOKEN_PREFIX, PLATFORM_KEY_PREFIX, PROVISION_KEY_PREFIX } from '../lib/secrets.ts'
import type { Presented } from './credentials.ts'

const places: Record<Carrier, string> = {
  bearer: '`Authorization: Bearer …`',
  'x-api-key': '`X-API-Key: …`',
  'service-auth-code': '`service-auth-code: …`, without an Authorization header',
}

const spellings: readonly (readonly [prefix: string, kind: CallerKind, name: string])[] = [
  [PLATFORM_KEY_PREFIX, 'platform-key', kindNames['platform-key']],
  [PROVISION_KEY_PREFIX, 'provision-key', kindNames['provision-key']],
  [DEVICE_TOKEN_PREFIX, 'device', kindNames.device],
  // Users' and phones' tokens look alike.
  ['eyJ', 'user', 'JWT'],
]

/** A sentence for the caller; undefined if the header fits. */
export function carrierHint({ carrier, value }: Presented): string | undefined {
  if (carrier === 'bearer' && value === '')
    return 'The Authorization header takes the word Bearer and one credential.'
  const bare = value.replace(/^bearer +/i, '')
  const spelling = spellings.find(([prefix]) => bare.startsWith(prefix))
  if (spelling === undefined) return undefined
  const [, kind, name] = spelling
  if (bare === value && carriersOf[kind].includes(carrier)) return undefined
  return `A ${name} is sent as ${carriersOf[kind].map((each) => places[each]).join(' or as ')}.`
}
