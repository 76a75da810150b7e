/**
 * Parses DATABASE_URL as libpq does (PostgreSQL documentation, 34.1.1), including its TLS options.
 * The driver's own parser treats `require` and `verify-ca` as `verify-full` and a missing `sslmode`
 * as no TLS, and ignores misspelled options. Its libpq mode still lacks the default `prefer`,
 * `allow`, `sslrootcert=system`, `dbname` and `sslpassword`, and accepts texts that are no URL.
 */
import { readFileSync } from 'node:fs'
import type { PoolConfig } from 'pg'
import { describeSystemError } from '../lib/system-errors.ts'

/** The message never contains the URL, which includes a password. */
class ConnectionUrlError extends Error {
  override name = 'ConnectionUrlError'
}

export interface DatabaseAddress {
  connection: PoolConfig
  /** `prefer`: TLS if the server offers it, which must be asked first. */
  tls: 'off' | 'prefer' | 'on'
  /** Host, port and database, for messages. */
  place: string
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

const known = [
  'application_name',
  'channel_binding',
  'connect_timeout',
  'dbname',
  'host',
  'options',
  'password',
  'port',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslpassword',
  'sslrootcert',
  'user',
]

const DEFAULT_PORT = 5432

const fail = (what: string): never => {
  throw new ConnectionUrlError(`DATABASE_URL ${what}`)
}

function parse(text: string): { url: URL; hasHost: boolean } {
  // A user without a host is valid for libpq but not for the URL standard.
  const named = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1host.missing')
  try {
    const url = new URL(named)
    return { url, hasHost: named === text && url.hostname !== '' }
  } catch {
    return fail(
      'is not a URL as postgres://user:password@host:5432/database; write special characters of ' +
        'the password as %-escapes, for instance %23 for #',
    )
  }
}

function decoded(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text)
  } catch {
    return fail('has a % that does not begin an escape; write it as %25')
  }
}

function readOptions(url: URL): Map<string, string> {
  const options = new Map(url.searchParams)
  const unknownNames = [...options.keys()].filter((name) => !known.includes(name))
  if (unknownNames.length > 0) {
    return fail(`has the unknown option ${unknownNames.join(', ')}; there is ${known.join(', ')}`)
  }
  for (const [name, value] of options) if (value === '') options.delete(name)
  return options
}

function readFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return fail(`names a ${name} that cannot be read: ${describeSystemError(error, path)}`)
  }
}

function readMode(options: Map<string, string>): Mode {
  const text = options.get('sslmode') ?? 'prefer'
  const mode = modes.find((each) => each === text)
  return mode ?? fail(`has an sslmode that is not one of ${modes.join(', ')}`)
}

/** The client certificate, for servers that require one. */
function clientCertificate(options: Map<string, string>) {
  const [cert, key] = [options.get('sslcert'), options.get('sslkey')]
  if ((cert === undefined) !== (key === undefined)) return fail('needs sslcert and sslkey together')
  if (cert === undefined || key === undefined) return {}
  const passphrase = options.get('sslpassword')
  return {
    cert: readFile('sslcert', cert),
    key: readFile('sslkey', key),
    ...(passphrase !== undefined && { passphrase }),
  }
}

/** What the driver must verify, by section 34.19.3 of the PostgreSQL documentation. */
function tlsOf(mode: Mode, options: Map<string, string>): PoolConfig['ssl'] {
  if (mode === 'disable') return false
  const client = clientCertificate(options)
  const roots = options.get('sslrootcert')
  if (roots === 'system' && mode !== 'verify-full') {
    return fail('has sslrootcert=system, which is only safe with sslmode=verify-full')
  }
  const ca = roots === undefined || roots === 'system' ? undefined : readFile('sslrootcert', roots)
  if (mode === 'verify-full') return { ...client, ...(ca !== undefined && { ca }) }
  if (mode === 'verify-ca' && ca === undefined) {
    return fail('has sslmode=verify-ca, which needs sslrootcert; or use sslmode=verify-full')
  }
  const verifiesChain = mode === 'verify-ca' || mode === 'require'
  if (verifiesChain && ca !== undefined) {
    return { ...client, ca, checkServerIdentity: () => undefined }
  }
  return { ...client, rejectUnauthorized: false }
}

function readPort(text: string | undefined): number {
  const port = text === undefined ? DEFAULT_PORT : Number(text)
  return Number.isInteger(port) && port > 0 && port < 65_536
    ? port
    : fail('has a port that is none')
}

const defined = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))

/** @throws ConnectionUrlError explaining the problem without the URL */
export function readDatabaseUrl(text: string): DatabaseAddress {
  const { url, hasHost } = parse(text)
  if (url.hash !== '') return fail('has a #; in a password it is written as %23')
  const options = readOptions(url)
  const named = hasHost ? decoded(url.hostname.replace(/^\[(.*)\]$/, '$1')) : undefined
  const host = options.get('host') ?? named ?? 'localhost'
  if (host.includes(',')) return fail('names several hosts; give it one')
  const port = readPort(options.get('port') ?? (url.port || undefined))
  const database = options.get('dbname') ?? decoded(url.pathname.slice(1))
  const isSocket = host.startsWith('/')
  const mode = isSocket ? 'disable' : readMode(options)
  const binding = options.get('channel_binding')
  return {
    connection: {
      host,
      port,
      ssl: tlsOf(mode, options),
      ...(binding !== undefined && binding !== 'disable' && { enableChannelBinding: true }),
      ...defined({
        user: options.get('user') ?? decoded(url.username),
        password: options.get('password') ?? decoded(url.password),
        database,
        options: options.get('options'),
        sslnegotiation: options.get('sslnegotiation'),
      }),
    },
    tls: mode === 'disable' ? 'off' : mode === 'prefer' || mode === 'allow' ? 'prefer' : 'on',
    place: `${host.includes(':') ? `[${host}]` : host}:${port}${database ? `/${database}` : ''}`,
  }
}
