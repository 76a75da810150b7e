/**
 * The brokers file: read at the start, and again when it changes, so that secrets rotate without a
 * restart. A new version that is wrong is refused as a whole, and the old one stays.
 */
import { readFileSync, statSync } from 'node:fs'
import { type BrokerEntry, type Brokers, BrokersFileSchema } from '../broker/broker-entry.ts'
import { ConfigError } from '../config.ts'
import { bodyCheck } from '../http/validation.ts'
import type { Log } from '../log.ts'
import { whyUseless, wordsOf } from './brokers-file-words.ts'
import { readJsonFile, refusalOf } from './json-file.ts'

export interface BrokersFile extends Brokers {
  /**
   * Looks whether the file, or one that it names, has changed, and tells whoever wants to know. Of
   * a version that is wrong the log tells, once; what held before stays.
   */
  refresh: () => Promise<void>
}

const NAME = 'MOORING_BROKERS_FILE'
const HELP = 'What it may hold: docs/brokers/hooks.md.'
const OF_OTHERS = 0o007
/** Names that stand for the broker inside of the service. */
const RESERVED = new Set(['embedded'])

const refuse: (must: string) => never = refusalOf(NAME)

const check = bodyCheck(BrokersFileSchema, 'refuse')

function repeated(values: readonly string[]): string | undefined {
  return values.find((value, index) => values.indexOf(value) !== index)
}

/** What no schema can say: what entries may not have in common. */
function demandApart(brokers: readonly BrokerEntry[]): void {
  const names = brokers.map(({ name }) => name)
  const twice = repeated(names) ?? names.find((name) => RESERVED.has(name))
  if (twice !== undefined) refuse(`holds the name ${twice} twice, or it is reserved`)
  // Whose secret a broker knows, in whose name it can ask.
  const secrets = brokers.flatMap(({ hook_secrets = [] }) => hook_secrets)
  if (repeated(secrets) !== undefined) refuse('gives two brokers the same hook secret')
  const services = brokers.flatMap(({ mqtt }) => mqtt?.username ?? [])
  const posing = services.find((name) => /^(?:dev|mqp|mqm)_|^hook-probe/.test(name))
  if (posing !== undefined) refuse("gives the service a user name that could be a client's")
  const defaults = brokers.flatMap(({ endpoints = [] }) => endpoints.filter((each) => each.default))
  if (defaults.length > 1) refuse('marks more than one endpoint as the default')
  if (defaults.some(({ protocol }) => protocol !== 'mqtt' && protocol !== 'mqtts')) {
    refuse('marks a WebSocket as the default endpoint, which devices are not told')
  }
}

/** What would fail only when the broker is first spoken to, where nobody looks. */
function demandUsable({ name, kind, admin, mqtt }: BrokerEntry): void {
  const speaksMqtt = admin?.url.startsWith('mqtt')
  if (admin !== undefined && speaksMqtt !== (kind === 'mosquitto-dynsec')) {
    const scheme = speaksMqtt ? 'http:// or https://' : 'mqtt:// or mqtts://'
    refuse(
      `gives ${name} an admin URL that a broker of the kind ${kind} is not administered by: \
it begins with ${scheme} there`,
    )
  }
  for (const place of [admin, mqtt]) {
    if (place !== undefined && !URL.canParse(place.url)) {
      refuse(`gives ${name} a URL that can not be read`)
    }
  }
}

/** The same entry with what its authorities' files hold, so that another file is another entry. */
function withAuthorities(entry: BrokerEntry): BrokerEntry {
  const { name, admin, mqtt } = entry
  const read = <Place extends { ca_file?: string }>(place: Place): Place & { ca?: string } => {
    if (place.ca_file === undefined) return place
    try {
      return { ...place, ca: readFileSync(place.ca_file, 'utf8') }
    } catch (error) {
      return refuse(`gives ${name} a ca_file that can not be read: ${(error as Error).message}`)
    }
  }
  return { ...entry, ...(admin && { admin: read(admin) }), ...(mqtt && { mqtt: read(mqtt) }) }
}

/** @throws ConfigError in words that name the place; never with a value, which may be a secret. */
export function readBrokers(file: string): readonly BrokerEntry[] {
  const use = (value: unknown): readonly BrokerEntry[] => {
    check(value)
    const { brokers } = value as { brokers: BrokerEntry[] }
    demandApart(brokers)
    brokers.forEach(demandUsable)
    for (const broker of brokers) {
      const why = whyUseless(broker)
      if (why !== undefined) refuse(why)
    }
    return brokers.map(withAuthorities)
  }
  return readJsonFile(file, refuse, use, (failure) => `${wordsOf(failure)} ${HELP}`)
}

export function openBrokersFile(file: string | undefined, log: Log): BrokersFile {
  const listeners: ((brokers: readonly BrokerEntry[]) => void)[] = []
  if (file === undefined) {
    return { present: () => [], refresh: () => Promise.resolve(), onChange: () => {} }
  }
  // The inode too: a file that is put in another's place may bring its old time along.
  const stampOfOne = (path: string): string => {
    const { mtimeMs, ino, size } = statSync(path, { throwIfNoEntry: false }) ?? {}
    return `${mtimeMs} ${ino} ${size}`
  }
  const stampOf = (brokers: readonly BrokerEntry[]): string => {
    const places = brokers.flatMap(({ admin, mqtt }) => [admin?.ca_file, mqtt?.ca_file])
    const authorities = places.filter((path) => path !== undefined)
    return [file, ...authorities].map(stampOfOne).join(', ')
  }
  const read = (): readonly BrokerEntry[] => {
    const brokers = readBrokers(file)
    if ((statSync(file).mode & OF_OTHERS) !== 0) {
      log('warn', `${NAME} holds secrets and is open to every user of the machine`, { file })
    }
    return brokers
  }
  let present = read()
  let stamp = stampOf(present)
  return {
    present: () => present,
    async refresh() {
      const newStamp = stampOf(present)
      if (newStamp === stamp) return
      // Told once, not at every look: a wrong version is looked at again when it changes again.
      stamp = newStamp
      try {
        present = read()
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        log('warn', `${error.message} The version before it stays.`, { file })
        return
      }
      stamp = stampOf(present)
      log('info', 'the brokers file was read again', { brokers: present.map(({ name }) => name) })
      const failures: unknown[] = []
      for (const listener of listeners) {
        try {
          listener(present)
        } catch (error) {
          failures.push(error)
        }
      }
      // Whoever comes after one that fails must still hear of it: a secret may have been withdrawn.
      if (failures.length > 0) throw failures[0]
    },
    onChange: (listener) => void listeners.push(listener),
  }
}
