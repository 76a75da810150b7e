/** Messages about invalid entries of the brokers file. */
import type { BrokerEntry } from '../broker/broker-entry.ts'
import { type MemberWords, wordsBy } from './json-file.ts'

const SHAPES: MemberWords = {
  name: 'must be 1 to 40 small letters, digits and dashes, and neither begin nor end with a dash',
  hook_secrets: 'must be 32 to 256 letters, digits and . _ ~ - (openssl rand -hex 32 makes one)',
  url: 'must be a scheme, a host and perhaps a port and a path, such as https://emqx:18083; user name and password stand beside it',
  host: 'must be a name or an address, without a scheme and a port',
  path: 'must begin with a slash, and have no spaces, ? and #',
}

const LIMITS: MemberWords = {
  'must NOT have fewer than 1 items': 'must have at least one',
  'must NOT have fewer than 1 characters': 'is empty',
  'must NOT have more than 3 items': 'has more than three',
  'must NOT have more than 16 items': 'has more than sixteen',
  'must NOT have more than 32 items': 'has more than thirty-two',
  'is not a member that this operation knows': 'is not known here',
}

export const wordsOf = wordsBy(SHAPES, LIMITS)

/** Whoever guesses it can read and write all devices' messages on that broker. */
const LEAST_PASSWORD = 16

const ADMINISTERED: ReadonlySet<string> = new Set(['emqx', 'rabbitmq', 'mosquitto-dynsec'])

/** Why an entry would have no effect or a misleading one; undefined if it is fine. */
export function whyUseless(entry: BrokerEntry): string | undefined {
  const { name, kind, admin, mqtt, hook_secrets, vhost, emqx } = entry
  const asksHooks = kind !== 'mosquitto-dynsec'
  if (!asksHooks && admin === undefined) {
    return `gives ${name} no admin: a Mosquitto with dynamic security is told by that who may what`
  }
  if (!asksHooks && hook_secrets !== undefined) {
    return `gives ${name} hook_secrets: a Mosquitto with dynamic security asks no hooks`
  }
  if (asksHooks && hook_secrets === undefined) {
    return `gives ${name} no hook_secrets: it would be refused whatever it asks`
  }
  if (admin !== undefined && !ADMINISTERED.has(kind)) {
    return `gives ${name} an admin side: a broker of the kind ${kind} has none that is used`
  }
  if (vhost !== undefined && kind !== 'rabbitmq') return `gives ${name} a vhost: only RabbitMQ has`
  if (emqx !== undefined && kind !== 'emqx')
    return `gives ${name} settings of EMQX, which it is not`
  if (kind === 'rabbitmq' && admin !== undefined && mqtt?.username === admin.username) {
    return `gives ${name} one user name for admin and mqtt: RabbitMQ would hold the service to the rights of the first, by which it can not listen`
  }
  if (asksHooks && mqtt !== undefined && mqtt.password.length < LEAST_PASSWORD) {
    return `gives the service a password at ${name} that could be guessed there: it must have ${LEAST_PASSWORD} characters at least`
  }
  return undefined
}
