/**
 * Parses DATABASE_URL as libpq does (PostgreSQL documentation, 34.1.1), including its TLS options.
 * Why not by the driver's own parser: docs/decisions/0111-own-code-in-place-of-a-library.md.
 */
import { readFileSync } from 'node:fs'
import type { PoolConfig } from 'pg'
import { describeSystemError } from '../lib/system-errors.ts'
import { hostInUrl } from '../lib/networks.ts'
import { type HostAddress, primaryClient } from './primary-client.ts'

/** The message never contains the URL, which includes a password. */
class ConnectionUrlError extends Error {
  override name = 'ConnectionUrlError'
}

export interface DatabaseAddress {
  connection: PoolConfig
  /** `prefer`: TLS if the server offers it, which must be asked first. */
  tls: 'off' | 'prefer' | 'on'
  /** Hosts, ports and database, for messages. */
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
  'target_session_attrs',
  'user',
]

const DEFAULT_PORT = 5432

const fail = (what: string): never => {
  throw new ConnectionUrlError(`DATABASE_URL ${what}`)
}

interface Parsed {
  url: URL
  /** The parts of the authority: hosts and ports, each separated by commas. */
  host: string | undefined
  port: string | undefined
}

/** `a:5432,[::1]:5433`, which is valid for libpq but not for the URL standard. */
const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)/

function parse(text: string): Parsed {
  // Nor is a user without a host.
  const named = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1host.missing')
  const list = SEVERAL.exec(text)?.[2]
  try {
    if (list !== undefined) {
      const each = list.split(',').map((one) => new URL(`postgres://${one}`))
      const url = new URL(text.replace(SEVERAL, '$1several'))
      const port = each.map((one) => one.port || String(DEFAULT_PORT)).join(',')
      return { url, host: each.map(({ hostname }) => bare(hostname)).join(','), port }
    }
    const url = new URL(named)
    const host = named === text && url.hostname !== '' ? bare(url.hostname) : undefined
    return { url, host, port: url.port || undefined }
  } catch {
    return fail(
      'is not a URL as postgres://user:password@host:5432/database; write special characters of ' +
        'the password as %-escapes, for instance %23 for #',
    )
  }
}

/** An IPv6 address is in brackets. */
const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

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

/** The checks that the driver must make, by section 34.19.3 of the PostgreSQL documentation. */
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

function readPort(text: string): number {
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port < 65_536
    ? port
    : fail('has a port that is none')
}

/** One port is that of all hosts. */
function readHosts(hostList: string, portList: string | undefined): HostAddress[] {
  const hosts = hostList.split(',')
  const ports = (portList ?? String(DEFAULT_PORT)).split(',').map(readPort)
  if (hosts.includes('')) return fail('has an empty name among its hosts')
  if (ports.length > 1 && ports.length !== hosts.length) {
    return fail(`has ${hosts.length} hosts, but ${ports.length} ports`)
  }
  return hosts.map((host, at) => ({ host, port: ports[at] ?? (ports[0] as number) }))
}

/** The service writes, so of several hosts it always wants the primary. */
function requireWritable(options: Map<string, string>): void {
  const wanted = options.get('target_session_attrs') ?? 'read-write'
  if (wanted === 'read-write' || wanted === 'primary') return
  fail('has a target_session_attrs other than read-write and primary; the service writes')
}

const placeOf = ({ host, port }: HostAddress): string => `${hostInUrl(host)}:${port}`

const defined = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))

/** @throws ConnectionUrlError explaining the problem without the URL */
export function readDatabaseUrl(text: string): DatabaseAddress {
  const parsed = parse(text)
  const { url } = parsed
  if (url.hash !== '') return fail('has a #; in a password it is written as %23')
  const options = readOptions(url)
  requireWritable(options)
  const named = parsed.host === undefined ? undefined : decoded(parsed.host)
  const hosts = readHosts(
    options.get('host') ?? named ?? 'localhost',
    options.get('port') ?? parsed.port,
  )
  const database = options.get('dbname') ?? decoded(url.pathname.slice(1))
  const sockets = hosts.filter(({ host }) => host.startsWith('/')).length
  if (sockets > 0 && sockets < hosts.length) return fail('names sockets and hosts; use only one')
  const mode = sockets > 0 ? 'disable' : readMode(options)
  const binding = options.get('channel_binding')
  return {
    connection: {
      ...(hosts[0] as HostAddress),
      ...(hosts.length > 1 && { Client: primaryClient(hosts) }),
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
    place: `${hosts.map(placeOf).join(',')}${database ? `/${database}` : ''}`,
  }
}
