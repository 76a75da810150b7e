/** Implements `mooring doctor`: creates temporary devices and runs the probes with them. */
import { makeHookProbe, probeSeen } from '../../platform/access/hook-probe.ts'
import { openBrokersFile } from '../../app/brokers-file.ts'
import type { BrokerEntry } from '../../adapters/broker/broker-entry.ts'
import type { BrokerKind } from '../../adapters/broker/broker-kind.ts'
import { kindOf } from '../../adapters/broker/kinds.ts'
import { type Config, readConfig } from '../../platform/config/config.ts'
import { comesTrue } from './probes/client.ts'
import {
  examine,
  type Login,
  type ExaminedBroker,
  type Probe,
  type ProbedHook,
  type Result,
  Unreachable,
} from './probes/examination.ts'
import { serviceOrigin } from '../../platform/record/event.ts'
import { createKeyOf } from '../../features/team/api-keys/api-key.ts'
import { problemOfBridge } from '../../features/mqtt/bridges/store.ts'
import type { CreatedDevice } from '../../features/devices/registry/schema.ts'
import type { EndpointList } from '../../features/mqtt/endpoints/schema.ts'
import {
  createProbeWorkspace,
  discardProbeWorkspace,
} from '../../features/workspaces/lifecycle/probe-workspace.ts'
import { BASE_PATH } from '../../platform/http/operation.ts'
import { formatId } from '../../platform/lib/ids.ts'
import { describeSystemError } from '../../platform/lib/system-errors.ts'
import { hostInUrl } from '../../platform/lib/networks.ts'
import { CommandFailure, readText } from '../command.ts'
import {
  callService,
  type ServiceAddress,
  serviceAddressOf,
  type ServiceResponse,
} from './service-call.ts'
import { type Session, withInstallation } from '../installation/session.ts'
import { connectProbes } from './probes/connect-probes.ts'
import { revokeProbes } from './probes/revoke-probes.ts'
import { topicProbes } from './probes/topic-probes.ts'
import { transportProbes } from './probes/transport-probes.ts'

/** All probes in order; the last one revokes the device's access. */
export const probes: readonly Probe[] = [
  ...transportProbes,
  ...connectProbes,
  ...topicProbes,
  ...revokeProbes,
]

export interface Wish {
  /** `embedded`, or a name in the brokers file. */
  name: string
  /** Where to connect; undefined: the endpoint that devices receive. */
  url: string | undefined
  /** Origin of the API; undefined: the configured port on this machine. */
  api: string | undefined
  /** Path of a PEM file, for the broker and the API; undefined: the system's CAs. */
  ca: string | undefined
}

/** The properties of the embedded broker for an examination; other brokers have their kind's. */
const embedded: Pick<BrokerKind, 'hooks' | 'boundSeconds' | 'advice'> = {
  hooks: [],
  boundSeconds: 1,
  advice: {
    good_login: 'Start the service, and read its log.',
    encryption:
      'Set MOORING_MQTT_TLS_PORT, connect devices there, and block the plain port (MOORING_MQTT_PORT) with a firewall. If a proxy terminates TLS, set MOORING_MQTT_PUBLIC_TLS=on.',
    tls_certificate:
      'Set MOORING_TLS_CERT_FILE and MOORING_TLS_KEY_FILE to a certificate for that name, with its chain.',
  },
}
const PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:']

interface Made {
  path: string
  login: Login
}

interface Caller {
  workspacePath: string
  read: (path: string) => Promise<unknown>
  call: (path: string, body?: object) => Promise<unknown>
}

function entryOf(config: Config, name: string): BrokerEntry | undefined {
  if (name === 'embedded') return undefined
  const file = openBrokersFile(config.brokersFile, () => {})
  const entry = file.present().find((each) => each.name === name)
  if (entry !== undefined) return entry
  const known = ['embedded', ...file.present().map((each) => each.name)].join(', ')
  const hint = config.brokersFile === undefined ? ' MOORING_BROKERS_FILE is not set here.' : ''
  throw new CommandFailure(`There is no broker ${name}; known are: ${known}.${hint}`)
}

function refusalOf({ status, text }: ServiceResponse): string {
  if (status !== 401) return `answered ${status}: ${text}`
  return (
    'does not know a key that was just created, so it uses another database. Give this ' +
    'command the settings of the service (MOORING_DATA_DIR or DATABASE_URL, ' +
    'MOORING_MASTER_KEY).'
  )
}

/** A caller for a workspace created for the examination. */
async function callerOf(
  session: Session,
  workspaceId: string,
  service: ServiceAddress,
): Promise<Caller> {
  const { db, clock, keyring: makeKeyring } = session
  const keyring = await makeKeyring()
  const { key } = await createKeyOf({ db, keyring, clock }, serviceOrigin, {
    workspaceId,
    key_kind: 'platform',
    name: 'mooring doctor',
  })
  const ask = async (path: string, body: object | undefined): Promise<unknown> => {
    const { origin } = service
    const headers = { 'x-api-key': key }
    const response = await callService(service, BASE_PATH + path, headers, body).catch(
      (error: unknown) => {
        throw new CommandFailure(
          `The service does not respond at ${origin}: ${describeSystemError(error)}. Start it, or set its ` +
            'address with --api or MOORING_HTTP_PORT.',
        )
      },
    )
    if (response.status < 300) return JSON.parse(response.text || 'null')
    throw new CommandFailure(`The service at ${origin} ${refusalOf(response)}`)
  }
  return {
    workspacePath: `/workspaces/${formatId('ws', workspaceId)}`,
    read: (path) => ask(path, undefined),
    call: (path, body = {}) => ask(path, body),
  }
}

async function makeDevice({ workspacePath, call }: Caller, key: string): Promise<Made> {
  const path = `${workspacePath}/devices`
  const device = (await call(path, { device_key: key })) as CreatedDevice
  const credentials = device.mqtt_credentials
  if (credentials === undefined)
    throw new CommandFailure('A device was created without credentials.')
  const { username, password, client_id: clientId, topic_prefix: prefix } = credentials
  return { path: `${path}/${device.id}`, login: { username, password, clientId, prefix } }
}

/** The URL of the first endpoint of an external broker in its file. */
function urlOfEntry({ name, endpoints: [endpoint] = [] }: BrokerEntry): string {
  if (endpoint === undefined) {
    throw new CommandFailure(`The broker ${name} has no endpoints in its file: give --url.`)
  }
  const { protocol, host, port, path = '/mqtt' } = endpoint
  return `${protocol}://${hostInUrl(host)}:${port}${protocol.startsWith('ws') ? path : ''}`
}

/**
 * The URL of the embedded broker itself: provisioning may send devices to another one. TLS comes
 * first, as it is what devices should use.
 */
async function urlOfEmbedded({ workspacePath, read }: Caller): Promise<string> {
  const { items } = (await read(`${workspacePath}/mqtt/endpoints`)) as EndpointList
  const endpoints = items.find(({ broker }) => broker === 'embedded')?.endpoints ?? []
  const order = ['mqtts', 'mqtt', 'wss', 'ws']
  const [first] = endpoints.toSorted(
    (a, b) => order.indexOf(a.protocol) - order.indexOf(b.protocol),
  )
  if (first !== undefined) return first.url
  throw new CommandFailure(
    'The embedded broker is off (MOORING_EMBEDDED_BROKER). Name a broker of the brokers file.',
  )
}

async function addressOf(
  url: string | undefined,
  entry: BrokerEntry | undefined,
  caller: Caller,
): Promise<URL> {
  const address = new URL(url ?? (entry ? urlOfEntry(entry) : await urlOfEmbedded(caller)))
  if (PROTOCOLS.includes(address.protocol)) return address
  throw new CommandFailure(`--url must begin with one of ${PROTOCOLS.join(' ')}`)
}

/** How long the process that was asked may take to report it, in milliseconds. */
const REPORT_MS = 5_000

/** The hook of a broker; the requests of its broker come back through the change feed. */
async function probedHook(
  { keyring: openKeyring, feed, clock }: Session,
  { name }: BrokerEntry,
): Promise<ProbedHook> {
  const keyring = await openKeyring()
  const seen = new Set<string>()
  feed.on('hook-probe', (ref) => void seen.add(ref))
  await feed.start()
  return {
    faulty: (fault) => makeHookProbe(keyring, fault, clock.now()),
    wasAsked: (username) => comesTrue(() => seen.has(probeSeen(name, username)), REPORT_MS),
  }
}

const bridgeOf =
  ({ db }: Session, { name }: BrokerEntry) =>
  async (): Promise<string | null> => {
    const problem = await problemOfBridge(db, name)
    return problem === undefined ? 'no process of the service runs its bridge' : problem
  }

const seenThrough =
  ({ workspacePath, read }: Caller, { login }: Made) =>
  async (): Promise<boolean> => {
    const filter = encodeURIComponent(`principal_id = "${login.username}"`)
    const path = `${workspacePath}/mqtt/connections?filter=${filter}`
    return ((await read(path)) as { items: unknown[] }).items.length > 0
  }

async function createTestBroker(
  session: Session,
  wish: Wish,
  workspaces: readonly [string, string],
): Promise<ExaminedBroker> {
  const config = readConfig()
  const entry = entryOf(config, wish.name)
  const authority = wish.ca === undefined ? undefined : readText('The file of --ca', wish.ca)
  const service = serviceAddressOf(config, wish.api, authority)
  const [homeId, abroadId] = workspaces
  const home = await callerOf(session, homeId, service)
  const abroad = await callerOf(session, abroadId, service)
  const own = await makeDevice(home, 'own')
  const neighbour = await makeDevice(home, 'neighbour')
  const foreign = await makeDevice(abroad, 'foreign')
  const { hooks, boundSeconds, advice } = entry === undefined ? embedded : kindOf(entry)
  return {
    advice,
    url: await addressOf(wish.url, entry, home),
    ca: authority ?? entry?.mqtt?.ca,
    own: own.login,
    neighbour: neighbour.login,
    foreign: foreign.login,
    async commandForeign() {
      await abroad.call(`${foreign.path}/commands`, { name: 'probe' })
    },
    async revokeOwn() {
      await home.call(`${own.path}/suspend`)
    },
    boundSeconds,
    hook: entry !== undefined && hooks.length > 0 ? await probedHook(session, entry) : undefined,
    seesOwn: entry === undefined ? seenThrough(home, own) : undefined,
    bridgeProblem: entry?.mqtt === undefined ? undefined : bridgeOf(session, entry),
  }
}

/**
 * Examines a broker with devices in temporary workspaces.
 * @param onResult called with each finding
 * @throws CommandFailure if the broker or the service is unreachable
 */
export function examineBroker(
  wish: Wish,
  onResult: (result: Result) => void,
): Promise<{ address: string; results: Result[] }> {
  return withInstallation({}, async (session) => {
    const workspaces = [
      await createProbeWorkspace(session),
      await createProbeWorkspace(session),
    ] as const
    try {
      const examined = await createTestBroker(session, wish, workspaces)
      const address = examined.url.href
      const results = await examine(examined, probes, onResult).catch((error: unknown) => {
        if (!(error instanceof Unreachable)) throw error
        const hint = wish.url === undefined ? ' --url names another address.' : ''
        throw new CommandFailure(
          `${wish.name} cannot be reached at ${address}: ${error.message}.${hint}`,
        )
      })
      return { address, results }
    } finally {
      session.feed.stop()
      for (const workspaceId of workspaces) await discardProbeWorkspace(session, workspaceId)
    }
  })
}
