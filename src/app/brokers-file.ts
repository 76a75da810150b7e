/**
 * The brokers file: read at startup and reread when it changes, so that secrets rotate without a
 * restart. An invalid new version is rejected as a whole, and the old one stays in effect.
 */
import { readFileSync, statSync } from 'node:fs'
import type { BrokerEntry, Brokers } from '../adapters/broker/broker-entry.ts'
import { brokerKinds, BrokersFileSchema, kindOf } from '../adapters/broker/kinds.ts'
import { ConfigError } from '../platform/config/config.ts'
import { bodyCheck } from '../platform/http/validation.ts'
import { describeSystemError } from '../platform/lib/system-errors.ts'
import type { Log } from '../platform/log.ts'
import { readJsonFile, refusalOf, repeated, warnOfReaders } from './json-file.ts'

export interface BrokersFile extends Brokers {
  /**
   * Checks whether the file, or a file it names, has changed, and notifies listeners. An invalid
   * version is logged once; the previous one stays in effect.
   */
  refresh: () => Promise<void>
}

const NAME = 'MOORING_BROKERS_FILE'
const HELP = 'Its format: docs/brokers/hooks.md.'
/** Names with a meaning inside the service. */
const RESERVED = new Set(['embedded'])

const refuse: (must: string) => never = refusalOf(NAME)

const check = bodyCheck(BrokersFileSchema, 'refuse')

/** Checks across entries that a schema cannot express. */
function requireDistinct(brokers: readonly BrokerEntry[]): void {
  const names = brokers.map(({ name }) => name)
  const twice = repeated(names) ?? names.find((name) => RESERVED.has(name))
  if (twice !== undefined) refuse(`contains the name ${twice} twice, or it is reserved`)
  // A broker can act in the name of any broker whose secret it knows.
  const secrets = brokers.flatMap(({ hook_secrets = [] }) => hook_secrets)
  if (repeated(secrets) !== undefined) refuse('gives two brokers the same hook secret')
  const services = brokers.flatMap(({ mqtt }) => mqtt?.username ?? [])
  const posing = services.find((name) => /^(?:dev|mqp|mqm)_|^hook-probe/.test(name))
  if (posing !== undefined) refuse("gives the service a user name that could be a client's")
  const defaults = brokers.flatMap(({ endpoints = [] }) => endpoints.filter((each) => each.default))
  if (defaults.length > 1) refuse('marks more than one endpoint as the default')
  if (defaults.some(({ protocol }) => protocol !== 'mqtt' && protocol !== 'mqtts')) {
    refuse('marks a WebSocket as the default endpoint, which devices do not receive')
  }
}

/** Anyone who guesses it can read and write all devices' messages on that broker. */
const MIN_PASSWORD_LENGTH = 16

/** Why an entry would have no effect or a misleading one; undefined if it is fine. */
function whyUnused(entry: BrokerEntry): string | undefined {
  const { name, kind, admin, mqtt, hook_secrets } = entry
  const { hooks, ...known } = kindOf(entry)
  const asksHooks = hooks.length > 0
  if (!asksHooks && admin === undefined) {
    return `gives ${name} no admin: a broker of the kind ${kind} gets its rules through that`
  }
  if (!asksHooks && hook_secrets !== undefined) {
    return `gives ${name} hook_secrets: a broker of the kind ${kind} calls no hooks`
  }
  if (asksHooks && hook_secrets === undefined) {
    return `gives ${name} no hook_secrets: all of its hook requests would be refused`
  }
  if (admin !== undefined && known.admin === undefined) {
    return `gives ${name} an admin interface: for the kind ${kind} none is used`
  }
  for (const other of brokerKinds.filter(({ name: others }) => others !== kind)) {
    const found = Object.keys(other.settings ?? {}).find((member) => member in entry)
    if (found !== undefined) {
      return `gives ${name} the member ${found}, which only the kind ${other.name} has`
    }
  }
  if (asksHooks && mqtt !== undefined && mqtt.password.length < MIN_PASSWORD_LENGTH) {
    return `gives the service a password at ${name} that is too short: it must have at least ${MIN_PASSWORD_LENGTH} characters`
  }
  return known.unusable?.(entry)
}

/** Refuses what would only fail when the broker is first contacted, where nobody is watching. */
function requireUsable(entry: BrokerEntry): void {
  const { name, kind, admin, mqtt } = entry
  const why = whyUnused(entry)
  if (why !== undefined) refuse(why)
  const schemes: readonly string[] = kindOf(entry).admin?.schemes ?? []
  if (admin !== undefined && !schemes.some((scheme) => admin.url.startsWith(`${scheme}://`))) {
    refuse(
      `gives ${name} an admin URL that a broker of the kind ${kind} is not administered by: \
it begins with ${schemes.join(':// or ')}:// there`,
    )
  }
  for (const place of [admin, mqtt]) {
    if (place !== undefined && !URL.canParse(place.url)) {
      refuse(`gives ${name} an invalid URL`)
    }
  }
}

/** Adds the contents of CA files to the entry, so that a changed file is a changed entry. */
function withAuthorities(entry: BrokerEntry): BrokerEntry {
  const { name, admin, mqtt } = entry
  const read = <Place extends { ca_file?: string }>(place: Place): Place & { ca?: string } => {
    if (place.ca_file === undefined) return place
    try {
      return { ...place, ca: readFileSync(place.ca_file, 'utf8') }
    } catch (error) {
      return refuse(
        `gives ${name} a ca_file that cannot be read: ${describeSystemError(error, place.ca_file)}`,
      )
    }
  }
  return { ...entry, ...(admin && { admin: read(admin) }), ...(mqtt && { mqtt: read(mqtt) }) }
}

/** @throws ConfigError naming the place, never a value, which may be secret */
export function readBrokers(file: string): readonly BrokerEntry[] {
  const use = (value: unknown): readonly BrokerEntry[] => {
    check(value)
    const { brokers } = value as { brokers: BrokerEntry[] }
    requireDistinct(brokers)
    brokers.forEach(requireUsable)
    return brokers.map(withAuthorities)
  }
  return readJsonFile(file, refuse, use, HELP)
}

export function openBrokersFile(file: string | undefined, log: Log): BrokersFile {
  const listeners: ((brokers: readonly BrokerEntry[]) => void)[] = []
  if (file === undefined) {
    return { present: () => [], refresh: () => Promise.resolve(), onChange: () => {} }
  }
  // Includes the inode: a file moved into place may keep an old modification time.
  const fingerprintOfOne = (path: string): string => {
    const { mtimeMs, ino, size } = statSync(path, { throwIfNoEntry: false }) ?? {}
    return `${mtimeMs} ${ino} ${size}`
  }
  const fingerprintOf = (brokers: readonly BrokerEntry[]): string => {
    const places = brokers.flatMap(({ admin, mqtt }) => [admin?.ca_file, mqtt?.ca_file])
    const authorities = places.filter((path) => path !== undefined)
    return [file, ...authorities].map(fingerprintOfOne).join(', ')
  }
  const read = (): readonly BrokerEntry[] => {
    const brokers = readBrokers(file)
    warnOfReaders(NAME, file, log)
    return brokers
  }
  let present = read()
  let fingerprint = fingerprintOf(present)
  return {
    present: () => present,
    async refresh() {
      const newFingerprint = fingerprintOf(present)
      if (newFingerprint === fingerprint) return
      // Logged once: an invalid version is only read again after it changes.
      fingerprint = newFingerprint
      try {
        present = read()
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        log('warn', `${error.message} The previous version stays in use.`, { file })
        return
      }
      fingerprint = fingerprintOf(present)
      log('info', 'the brokers file was read again', { brokers: present.map(({ name }) => name) })
      const failures: unknown[] = []
      for (const listener of listeners) {
        try {
          listener(present)
        } catch (error) {
          failures.push(error)
        }
      }
      // Later listeners must run even if one fails: a secret may have been withdrawn.
      if (failures.length > 0) throw failures[0]
    },
    onChange: (listener) => void listeners.push(listener),
  }
}
