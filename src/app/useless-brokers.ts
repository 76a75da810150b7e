/** Entries of the brokers file that have the right shape, and are useless all the same. */
import type { BrokerEntry } from '../adapters/broker/broker-entry.ts'

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
