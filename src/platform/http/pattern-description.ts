/**
 * The patterns of schemas in words: people cannot read a regular expression. A law sees that each
 * pattern has its words.
 */
import { formatId, type IdPrefix, idPattern, sentIdPattern } from '../lib/ids.ts'

const KEY = 'must be 1 to 64 letters, digits and . _ -'
const TOPIC = 'must be a topic that begins with {slug}/, without control characters'
const SLUG_SHAPE =
  'lower-case letters, digits and dashes, begin with a letter, and not end with a dash'
const URL_SHAPE =
  'must be a scheme, a host and optionally a port and a path, such as SUCH; user name and password are separate members'

const EXAMPLE = '01890a5d-ac96-774b-bcce-b302099a8057'
/** An id as it looks, of nothing that is there. */
const exampleOf = (prefix: IdPrefix): string => formatId(prefix, EXAMPLE)

const messages: Readonly<Record<string, string>> = {
  '^(?:dev|mqp)_[0-7][0-9a-hjkmnp-tv-z]{25}$': `must be the id of a device or of an MQTT principal, such as ${exampleOf('dev')} or ${exampleOf('mqp')}`,
  '^[a-z][a-z0-9-]{1,38}[a-z0-9]$': `must be 3 to 40 ${SLUG_SHAPE}`,
  '^[a-z][a-z0-9-]{0,38}[a-z0-9]$': `must be 2 to 40 ${SLUG_SHAPE}`,
  '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$':
    'must be 1 to 40 lower-case letters, digits and dashes, and neither begin nor end with a dash',
  '^[A-Za-z0-9_.-]{1,64}$': KEY,
  '^[A-Za-z0-9_-]{43}$': 'must be a SHA-256 as 43 characters of base64url',
  '^[A-Za-z0-9_.-]{1,64}(:[^\\u0000]{0,256})?$':
    'must be the key of a tag, such as site, or key and value, such as site:Hamburg',
  '^[A-Za-z0-9][A-Za-z0-9._-]{0,94}$':
    'must be 1 to 95 letters, digits and . _ -, and begin with a letter or a digit',
  '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$':
    'must be 1 to 63 letters, digits and . _ -, and begin with a letter or a digit',
  '^[a-z][a-z0-9_.-]*$': 'must be lower-case letters, digits and . _ -, and begin with a letter',
  '^[\\x21-\\x7e]{1,128}$': 'must be 1 to 128 visible ASCII characters, without spaces',
  '^[\\x21-\\x7e]+$': 'must be visible ASCII characters, without spaces',
  '^[A-Z]{3}$': 'must be three capital letters, such as EUR (ISO 4217)',
  '^[0-9a-f]{64}$': 'must be 64 lower-case hex digits',
  '^[0-9a-fA-F]{64}$': 'must be 64 hex digits',
  '^[^@\\s]+@[^@\\s]+$': 'must be an e-mail address',
  '^https?://[\\x21-\\x7e]+$': 'must be a URL that begins with http:// or https://, without spaces',
  '^[^\\u0000]*$': 'must not contain the null character',
  '^[^\\u0000]*\\S[^\\u0000]*$': 'must be more than white space, without the null character',
  '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$':
    'must be more than white space, without line breaks and other control characters',
  '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]+$':
    'must not contain control characters other than line feeds',
  '^[^/\\u0000-\\u001f\\u007f]+/[^\\u0000-\\u001f\\u007f]*$': TOPIC,
  '^\\{slug\\}/[^\\u0000-\\u001f\\u007f]*$': TOPIC,
  '^[A-Za-z0-9._~-]{32,256}$':
    'must be 32 to 256 letters, digits and . _ ~ - (openssl rand -hex 32 generates one)',
  '^(?:https?|mqtts?)://[^\\s/?#@]+(?:/[^\\s?#]*)?$': URL_SHAPE.replace(
    'SUCH',
    'https://emqx:18083',
  ),
  '^(?:mqtts?|wss?)://[^\\s/?#@]+(?:/[^\\s?#]*)?$': URL_SHAPE.replace('SUCH', 'mqtts://emqx:8883'),
  '^[A-Za-z0-9.:_-]{1,253}$': 'must be a name or an address, without a scheme and a port',
  '^(?:name|device_key|hardware_id|state|status|connected|approval|template_id|tags|last_seen_at|claimed_at|created_at|updated_at|tags\\.[A-Za-z0-9_.-]{1,64}|custom_fields\\.[A-Za-z0-9_.-]{1,64})$':
    'must be a column, such as device_key, tags.site or custom_fields.battery',
  '^/[^\\s?#]{0,200}$': 'must begin with a slash, and have no spaces, ? and #',
}

/** A sentence without its subject; undefined for a pattern that is not known. */
export function describePattern(pattern: string): string | undefined {
  const prefix = /^\^(?:\(\?:)?([a-z]+)_/.exec(pattern)?.[1] as IdPrefix | undefined
  if (prefix !== undefined && pattern === idPattern(prefix)) {
    return `must be an id such as ${exampleOf(prefix)}`
  }
  if (prefix !== undefined && pattern === sentIdPattern(prefix)) {
    return `must be an id such as ${exampleOf(prefix)}, or a UUID`
  }
  return messages[pattern]
}
