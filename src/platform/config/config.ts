/**
 * Configuration: the only reader of the environment but for thread-pool.ts. Unknown variables and
 * invalid values are refused before anything else happens.
 */
import { readFileSync } from 'node:fs'
import { ConfigError, refuse, type Variable } from './kinds.ts'
import { type Config, variables } from './variables.ts'
import { describeSystemError, messageOf } from '../lib/system-errors.ts'

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

/** Settings of which one is of no use without the other. */
const PAIRS = [
  ['smtpUrl', 'mailFrom'],
  ['acmeKeyId', 'acmeHmacKey'],
  ['tlsCertFile', 'tlsKeyFile'],
  ['stripeSecretKey', 'stripeWebhookSecret'],
] as const

/** The form of given texts. */
const FORMS = [
  ['origin', /^https?:\/\/[^/?#]+$/, 'be a scheme and an authority, as https://api.example.com'],
  ['smtpUrl', /^smtps?:\/\/[^/?#\s]+/, 'begin with smtp:// or smtps:// and name a host'],
  [
    'mailFrom',
    // A single address, bare or with a display name, on one line.
    /^(?:[^\p{C}<>"]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'be an address, as Mooring <mooring@example.com>',
  ],
  ['consoleUrl', /^https?:\/\/[^\s?#]+$/, 'be a URL, as https://console.example.com'],
  ['acmeDirectoryUrl', /^https:\/\/[^\s#]+$/, 'begin with https://'],
  ['acmeContact', /^[^\s@,?]+@[^\s@,?]+$/, 'be an address, as ops@example.com'],
  [
    'otlpEndpoint',
    /^https?:\/\/[^\s?#@]+$/,
    'be a URL without a password, as http://127.0.0.1:4318; credentials belong in MOORING_OTLP_HEADERS',
  ],
  ['databaseUrl', /^postgres(ql)?:\/\//, 'begin with postgres:// or postgresql://'],
] as const

function requireTogether(config: Config): void {
  requireApart(config)
  for (const [one, other] of PAIRS) {
    if ((config[one] === undefined) !== (config[other] === undefined)) {
      throw new ConfigError(`${variables[one].name} and ${variables[other].name} go together`)
    }
  }
  for (const name of ['mqttTlsPort', 'mqttWssPort'] as const) {
    if (config[name] !== undefined && config.tlsCertFile === undefined) {
      throw new ConfigError(`${variables[name].name} needs MOORING_TLS_CERT_FILE`)
    }
  }
  for (const [name, form, must] of FORMS) {
    const text = config[name]
    if (text !== undefined && !form.test(text)) refuse(variables[name].name, `must ${must}`)
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
  /** The value if it is unset. */
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
      problems.push(messageOf(error))
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
