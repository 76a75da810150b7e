/**
 * Every variable of the configuration, each with its default, its check and its words. The service,
 * `mooring config` and docs/configuration.md are made from this list.
 */
import { isIP } from 'node:net'

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export interface Variable<T> {
  name: string
  /** Shown in the docs; `undefined` when unset means something of its own. */
  fallback: string
  about: string
  secret?: boolean
  read: (text: string | undefined) => T
}

/** Refuses the value of a variable. */
export const refuse = (name: string, must: string): never => {
  throw new ConfigError(`${name} ${must}`)
}

const text = (name: string, fallback: string, about: string): Variable<string> => ({
  name,
  fallback,
  about,
  read: (value) => value ?? fallback,
})

const optional = (
  name: string,
  fallback: string,
  about: string,
  secret = false,
): Variable<string | undefined> => ({ name, fallback, about, secret, read: (value) => value })

function integer(
  name: string,
  fallback: number,
  [min, max]: readonly [number, number],
  about: string,
): Variable<number> {
  return {
    name,
    fallback: String(fallback),
    about,
    read(value) {
      if (value === undefined) return fallback
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
      if (number >= min && number <= max) return number
      return refuse(name, `must be a whole number from ${min} to ${max}`)
    },
  }
}

function choice<const T extends string>(
  name: string,
  values: readonly T[],
  fallback: T,
  about: string,
): Variable<T> {
  return {
    name,
    fallback,
    about: `${about} One of ${values.join(', ')}.`,
    read(value) {
      if (value === undefined) return fallback
      const found = values.find((each) => each === value)
      return found ?? refuse(name, `must be one of ${values.join(', ')}`)
    },
  }
}

/** Whether a text is an IP address, or one with the length of its network's prefix (CIDR). */
function isNetwork(text: string): boolean {
  const [address = '', bits, rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest !== undefined) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

const networks = (name: string, about: string): Variable<string[]> => ({
  name,
  fallback: 'none',
  about: `${about} Separated by commas.`,
  read(value) {
    const items = (value ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
    const wrong = items.find((item) => !isNetwork(item))
    if (wrong === undefined) return items
    return refuse(name, `must hold IP addresses or networks as 10.0.0.0/8, not ${wrong}`)
  },
})

const port = (name: string, fallback: number, about: string): Variable<number> =>
  integer(name, fallback, [0, 65_535], `${about} 0 takes a free one.`)

function optionalPort(name: string, fallback: string, about: string): Variable<number | undefined> {
  const { read } = integer(name, 1, [1, 65_535], about)
  return { name, fallback, about, read: (value) => (value === undefined ? undefined : read(value)) }
}

/** 32 bytes in base64, as `openssl rand -base64 32` prints them. */
export function readKey(name: string, value: string): Buffer {
  const key = Buffer.from(value, 'base64')
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(value)
  if (isBase64 && key.length === 32) return key
  return refuse(name, 'must hold 32 bytes in base64, as `openssl rand -base64 32` prints them')
}

const limit = (name: string, fallback: number, about: string): Variable<number> =>
  integer(name, fallback, [1, 10_000_000], about)

/** Every variable there is, in the order in which the docs show them. */
export const variables = {
  httpPort: port('MOORING_HTTP_PORT', 8080, 'Port of the API.'),
  operatorPort: port('MOORING_OPERATOR_PORT', 8081, 'Port of health and metrics.'),
  mqttPort: port('MOORING_MQTT_PORT', 1883, 'Port of the embedded MQTT broker.'),
  httpHost: text(
    'MOORING_HTTP_HOST',
    '127.0.0.1',
    'Address that the API listens on. Beyond loopback, give a certificate or stand behind a proxy that ends TLS.',
  ),
  operatorHost: text('MOORING_OPERATOR_HOST', '127.0.0.1', 'Address of health and metrics.'),
  mqttHost: text('MOORING_MQTT_HOST', '127.0.0.1', 'Address that the broker listens on.'),
  mqttPublicHost: optional(
    'MOORING_MQTT_PUBLIC_HOST',
    'the host of the origin',
    'Host that provisioning tells devices to connect to.',
  ),
  mqttPublicPort: optionalPort(
    'MOORING_MQTT_PUBLIC_PORT',
    'the port of the broker',
    'Port that provisioning tells devices to connect to.',
  ),
  mqttPublicTls: choice(
    'MOORING_MQTT_PUBLIC_TLS',
    ['on', 'off'],
    'off',
    'Whether provisioning tells devices to use TLS; on when a proxy in front of the broker ends it.',
  ),
  origin: optional(
    'MOORING_ORIGIN',
    'http://127.0.0.1 with the port of the API',
    'Scheme and authority under which callers reach the API, for links and problem types.',
  ),
  dataDir: text(
    'MOORING_DATA_DIR',
    './data',
    'Folder of the embedded database and of the master key.',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    'an embedded Postgres in the data folder',
    'Connection URI of a Postgres from version 15 on, with its TLS options (sslmode, sslrootcert, sslcert, sslkey).',
    true,
  ),
  databasePoolSize: integer(
    'MOORING_DATABASE_POOL_SIZE',
    10,
    [1, 500],
    'Connections for requests. Up to five more serve the change feed, counters and CONNECTs.',
  ),
  databasePrepared: choice(
    'MOORING_DATABASE_PREPARED',
    ['on', 'off'],
    'on',
    'Named prepared statements; off behind pgbouncer before 1.21 in transaction mode.',
  ),
  masterKey: {
    name: 'MOORING_MASTER_KEY',
    fallback: 'a file in the data folder, made at the first start',
    about:
      'Key of all keys: 32 bytes in base64. Processes that share a database need the same one. Keep a copy: without it the data can not be used.',
    secret: true,
    read: (value) => (value === undefined ? undefined : readKey('MOORING_MASTER_KEY', value)),
  } satisfies Variable<Buffer | undefined>,
  bootstrapEmail: text(
    'MOORING_BOOTSTRAP_EMAIL',
    'owner@example.com',
    'Email address of the owner that the first start creates.',
  ),
  bootstrapPassword: optional(
    'MOORING_BOOTSTRAP_PASSWORD',
    'made up and printed once',
    'Password of that owner.',
    true,
  ),
  bootstrapWorkspace: text(
    'MOORING_BOOTSTRAP_WORKSPACE',
    'main',
    'Slug of the workspace that the first start creates.',
  ),
  rateLimits: choice('MOORING_RATE_LIMITS', ['on', 'off'], 'on', 'Rate limits of the API.'),
  rateLimitStore: choice(
    'MOORING_RATE_LIMIT_STORE',
    ['auto', 'memory', 'database'],
    'auto',
    'Where they are counted. auto: in memory on the embedded database, else in the database, since other processes may share it.',
  ),
  limitAuth: limit('MOORING_LIMIT_AUTH', 20, 'Sign-in requests a minute, per address and account.'),
  limitRead: limit('MOORING_LIMIT_READ', 300, 'Reads a minute, per caller.'),
  limitWrite: limit('MOORING_LIMIT_WRITE', 100, 'Writes a minute, per caller.'),
  limitProvision: limit('MOORING_LIMIT_PROVISION', 50, 'Provisioning calls a minute, per key.'),
  limitSafety: limit(
    'MOORING_LIMIT_SAFETY',
    600,
    'Rotations, revocations, deletions and logouts a minute, per caller.',
  ),
  trustedProxies: networks(
    'MOORING_TRUSTED_PROXIES',
    'Addresses or networks (CIDR) of proxies whose X-Forwarded-For is believed.',
  ),
  tlsCertFile: optional(
    'MOORING_TLS_CERT_FILE',
    'plain HTTP',
    'PEM file with the certificate chain of the API.',
  ),
  tlsKeyFile: optional(
    'MOORING_TLS_KEY_FILE',
    'plain HTTP',
    'PEM file with the private key to it.',
  ),
  logLevel: choice(
    'MOORING_LOG_LEVEL',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'warn',
    'What is written to standard error, a JSON object a line.',
  ),
} as const

type Read<V> = V extends Variable<infer T> ? T : never
export type Config = { readonly [Name in keyof typeof variables]: Read<(typeof variables)[Name]> }
