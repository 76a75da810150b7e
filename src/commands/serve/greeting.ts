/** The output of `serve` when it is ready: addresses and next steps. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { hostInUrl } from '../../platform/lib/networks.ts'
import { INITIAL_PASSWORD_DAYS } from '../../features/identity/accounts/account.ts'
import type {
  FirstOwner,
  Installation,
} from '../../features/workspaces/installation/installation.ts'
import { urlOf } from '../../features/identity/one-time-links/one-time-link.ts'
import { BASE_PATH } from '../../platform/http/operation.ts'
import { isCheckout } from '../../app/project.ts'
import { firstOwnerFile } from './first-owner.ts'
import { masterKeyFile } from '../installation/master-keys.ts'

export interface Places {
  origin: string
  /** The address of the web console. */
  consoleUrl: string
  ports: { operator: number; ws?: number | undefined; wss?: number | undefined }
  mqtt: { host: string; port: number; tls: boolean }
}

const rows = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `  ${name.padEnd(11)}${value}`).join('\n')

const demoHint = isCheckout
  ? 'Or see a factory, a device and a phone at work, in another terminal: npm run demo\n'
  : ''

/** Quotes a text as a POSIX shell argument. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const webSocket = (scheme: string, host: string, port: number | undefined): [string, string][] =>
  port === undefined ? [] : [['WebSocket', `${scheme}://${hostInUrl(host)}:${port}/mqtt`]]

/** The operator page that shows mail, if no mail server is configured. */
const outboxOf = ({ smtpUrl }: Config): string => (smtpUrl === undefined ? ', /outbox' : '')

function places(config: Config, { origin, consoleUrl, ports, mqtt }: Places): string {
  const operator = `http://${hostInUrl(config.operatorHost)}:${ports.operator}`
  return rows([
    ...(config.console === 'on' ? [['Console', `${consoleUrl}/`] as const] : []),
    ['API', `${origin}${BASE_PATH}`],
    ['Reference', `${origin}${BASE_PATH}/reference`],
    ['Operator', `${operator}/readyz, /healthz, /metrics${outboxOf(config)}`],
    ['MQTT', `${mqtt.tls ? 'mqtts' : 'mqtt'}://${hostInUrl(mqtt.host)}:${mqtt.port}`],
    ...webSocket('ws', mqtt.host, ports.ws),
    ...webSocket('wss', mqtt.host, ports.wss),
    ['Data', config.databaseUrl === undefined ? resolve(config.dataDir) : 'DATABASE_URL'],
  ])
}

const ownerFileHint = (config: Config): string => `
  It is also in ${firstOwnerFile(config)}:
  delete that file after you have changed the password and stored it.
  It is valid for ${INITIAL_PASSWORD_DAYS} days, and only for choosing another one: POST /auth/password.
`

const setupHint = (consoleUrl: string, token: string): string => `
This was the first start. Set up your account and workspace in a browser; the link works once:

  ${urlOf({ url: () => consoleUrl }, 'setup', token)}
`

function firstStart(
  config: Config,
  { owner, setupToken }: { owner: FirstOwner; setupToken?: string | undefined },
  { consoleUrl, origin }: Places,
): string {
  const { email, password, workspace } = owner
  const madeUp = config.bootstrapPassword === undefined
  const body = JSON.stringify({ email, password: madeUp ? password : '…' })
  const created = `created an owner${madeUp ? '; the password is printed only once' : ''}:`
  const opening =
    setupToken === undefined
      ? `\nThis was the first start. It ${created}\n`
      : `${setupHint(consoleUrl, setupToken)}\nOr without a browser: it has ${created}\n`
  return `${opening}
${rows([
  ['Email', email],
  ['Password', madeUp ? password : 'as given in MOORING_BOOTSTRAP_PASSWORD'],
  ['Workspace', workspace.slug],
])}
${madeUp ? ownerFileHint(config) : ''}
Sign in:

  curl -s ${origin}${BASE_PATH}/auth/login -H 'content-type: application/json' \\
    -d ${quoted(body)}

${demoHint}`
}

function keyHint(config: Config): string {
  if (config.masterKey !== undefined) return ''
  const copy = `Keep a copy of ${masterKeyFile(config)}: without it the data cannot be used.`
  if (config.databaseUrl === undefined) return `\n${copy}\n`
  return `\n${copy}\nOther processes on this database need the same key, in MOORING_MASTER_KEY.\n`
}

/** For a first start that failed, such as at a port in use, before it printed the password. */
function leftoverHint(config: Config): string {
  const file = firstOwnerFile(config)
  if (!existsSync(file)) return ''
  return `\nThe first owner's password is in ${file}:\ndelete that file after you have stored the password.\n`
}

export function greeting(
  config: Config,
  found: Places,
  { owner, setupToken }: Pick<Installation, 'owner' | 'setupToken'>,
): string {
  const ready = `Mooring is ready.\n\n${places(config, found)}\n`
  if (owner === undefined) return ready + leftoverHint(config)
  return ready + firstStart(config, { owner, setupToken }, found) + keyHint(config)
}
