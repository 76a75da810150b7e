/**
 * Configuration: the only reader of the environment. Unknown variables and invalid values are
 * refused before anything else happens.
 */
import { readFileSync } from 'node:fs'
import { ConfigError, refuse, type Variable } from './kinds.ts'
import { type Config, variables } from './variables.ts'
import { describeSystemError } from '../lib/system-errors.ts'

export { ConfigError } from './kinds.ts'
export type { Config } from './variables.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** An empty variable counts as unset. */
const given = (environment: Environment, name: string): string | undefined =>
  environment[name] === '' ? undefined : environment[name]

/** Variables of the client command line (cli/README.md), which a shell may have for both. */
export const clientVariables: readonly string[] = [
  'MOORING_API_KEY',
  'MOORING_CONFIG',
  'MOORING_PROFILE',
  'MOORING_URL',
  'MOORING_WEBHOOK_SECRET',
  'MOORING_WORKSPACE',
]

/** Unknown variables with our prefix, most likely typos. */
function requireKnown(environment: Environment): void {
  const names = Object.values(variables).map(({ name }) => name)
  const known = new Set<string>([...names, ...clientVariables])
  const unknownNames = Object.keys(environment).filter(
    (name) => name.startsWith('MOORING_') && !known.has(name),
  )
  if (unknownNames.length > 0) {
    throw new ConfigError(
      `${unknownNames.join(', ')}: unknown; \`mooring config\` lists the settings`,
    )
  }
}

/** Two listeners on one port: whichever starts second would fail, unpredictably. */
function requireApart(config: Config): void {
  const listeners = [
    ['MOORING_HTTP_PORT', config.httpHost, config.httpPort],
    ['MOORING_OPERATOR_PORT', config.operatorHost, config.operatorPort],
    ['MOORING_ACME_HTTP_PORT', config.httpHost, config.acmeHttpPort],
    ['MOORING_MQTT_PORT', config.mqttHost, config.mqttPort],
    ['MOORING_MQTT_TLS_PORT', config.mqttHost, config.mqttTlsPort],
    ['MOORING_MQTT_WS_PORT', config.mqttHost, config.mqttWsPort],
    ['MOORING_MQTT_WSS_PORT', config.mqttHost, config.mqttWssPort],
  ] as const
  for (const [index, [name, host, port]] of listeners.entries()) {
    const clash = listeners
      .slice(0, index)
      .find(([, otherHost, other]) => Boolean(port) && port === other && host === otherHost)
    if (clash) throw new ConfigError(`${clash[0]} and ${name} are both ${port}`)
  }
}

/** A single address, bare or with a display name, on one line. */
const SENDER = /^(?:[^\p{C}<>"]{1,100} <([^\s<>]+)>|([^\s<>]+))$/u

function requireMail({ smtpUrl, mailFrom, consoleUrl }: Config): void {
  if ((smtpUrl === undefined) !== (mailFrom === undefined)) {
    throw new ConfigError('MOORING_SMTP_URL and MOORING_MAIL_FROM go together')
  }
  if (smtpUrl !== undefined && !/^smtps?:\/\/[^/?#\s]+/.test(smtpUrl)) {
    throw new ConfigError('MOORING_SMTP_URL must begin with smtp:// or smtps:// and name a host')
  }
  const sender = SENDER.exec(mailFrom ?? '')
  if (mailFrom !== undefined && !/^[^@]+@[^@]+$/.test(sender?.[1] ?? sender?.[2] ?? '')) {
    throw new ConfigError('MOORING_MAIL_FROM must be an address, as Mooring <mooring@example.com>')
  }
  if (consoleUrl !== undefined && !/^https?:\/\/[^\s?#]+$/.test(consoleUrl)) {
    throw new ConfigError('MOORING_CONSOLE_URL must be a URL, as https://console.example.com')
  }
}

function requireAcme(config: Config): void {
  const { acmeDirectoryUrl, acmeContact, acmeKeyId, acmeHmacKey } = config
  if (acmeDirectoryUrl !== undefined && !/^https:\/\/[^\s#]+$/.test(acmeDirectoryUrl)) {
    throw new ConfigError('MOORING_ACME_DIRECTORY_URL must begin with https://')
  }
  if (acmeContact !== undefined && !/^[^\s@,?]+@[^\s@,?]+$/.test(acmeContact)) {
    throw new ConfigError('MOORING_ACME_CONTACT must be an address, as ops@example.com')
  }
  if ((acmeKeyId === undefined) !== (acmeHmacKey === undefined)) {
    throw new ConfigError('MOORING_ACME_EAB_KEY_ID and MOORING_ACME_EAB_HMAC_KEY go together')
  }
}

function requireTogether(config: Config): void {
  requireApart(config)
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    throw new ConfigError('MOORING_TLS_CERT_FILE and MOORING_TLS_KEY_FILE go together')
  }
  for (const name of ['mqttTlsPort', 'mqttWssPort'] as const) {
    if (config[name] !== undefined && config.tlsCertFile === undefined) {
      throw new ConfigError(`${variables[name].name} needs MOORING_TLS_CERT_FILE`)
    }
  }
  if (config.origin !== undefined && !/^https?:\/\/[^/?#]+$/.test(config.origin)) {
    throw new ConfigError(
      'MOORING_ORIGIN must be a scheme and an authority, as https://api.example.com',
    )
  }
  requireMail(config)
  requireAcme(config)
  if ((config.stripeSecretKey === undefined) !== (config.stripeWebhookSecret === undefined)) {
    throw new ConfigError('MOORING_STRIPE_SECRET_KEY and MOORING_STRIPE_WEBHOOK_SECRET go together')
  }
  if (config.otlpEndpoint !== undefined && !/^https?:\/\/[^\s?#@]+$/.test(config.otlpEndpoint)) {
    throw new ConfigError(
      'MOORING_OTLP_ENDPOINT must be a URL without a password, as http://127.0.0.1:4318; credentials belong in MOORING_OTLP_HEADERS',
    )
  }
  if (config.databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(config.databaseUrl)) {
    throw new ConfigError('DATABASE_URL must begin with postgres:// or postgresql://')
  }
}

/**
 * Reads all variables.
 * @throws ConfigError naming the variable and what it must be
 */
export function readConfig(environment: Environment = process.env): Config {
  requireKnown(environment)
  const entries = Object.entries(variables).map(([key, variable]) => [
    key,
    variable.read(given(environment, variable.name)),
  ])
  const config = Object.fromEntries(entries) as Config
  requireTogether(config)
  return config
}

export interface VariableState {
  name: string
  about: string
  /** What applies if it is unset. */
  fallback: string
  /** Whether that is a value, and not what happens without one. */
  hasDefault: boolean
  isSet: boolean
  /** The given value, unless it is secret. */
  displayed: string
}

/** All variables with their values, and all problems at once; never throws. */
export function surveyConfig(environment: Environment = process.env): {
  variables: VariableState[]
  problems: string[]
} {
  const problems: string[] = []
  const attempt = (read: () => void): void => {
    try {
      read()
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  const list: readonly Variable<unknown>[] = Object.values(variables)
  const states = list.map(({ name, about, fallback, secret, read }) => {
    const value = given(environment, name)
    attempt(() => void read(value))
    const displayed = value !== undefined && secret ? '(set, not shown)' : (value ?? '')
    const hasDefault = read(undefined) !== undefined
    return { name, about, fallback, hasDefault, isSet: value !== undefined, displayed }
  })
  attempt(() => void (problems.length === 0 ? readConfig(environment) : requireKnown(environment)))
  return { variables: states, problems }
}

/** The database role for requests, or undefined if requests run without one. */
export const requestRoleOf = ({
  databaseRole,
}: Pick<Config, 'databaseRole'>): string | undefined =>
  databaseRole === 'none' ? undefined : databaseRole

export const readPem = (file: string, name: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (error) {
    return refuse(name, `names a file that cannot be read: ${describeSystemError(error, file)}`)
  }
}

/** The number of libuv's threads, if it is given; Node itself reads it. */
export const givenThreads = (environment: Environment = process.env): string | undefined =>
  given(environment, 'UV_THREADPOOL_SIZE')
