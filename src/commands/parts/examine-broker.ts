/** Implements `mooring doctor`: creates temporary devices and runs the probes with them. */
import { makeHookProbe } from '../../access/hook-probe.ts'
import { openBrokersFile } from '../../app/brokers-file.ts'
import type { BrokerEntry } from '../../broker/broker-entry.ts'
import { type Config, readConfig } from '../../config.ts'
import {
  type BrokerKind,
  examine,
  type Login,
  type Patient,
  type Result,
  Unreachable,
} from '../../doctor/examination.ts'
import { probes } from '../../doctor/probes.ts'
import { serviceOrigin } from '../../events/event.ts'
import { createKeyOf } from '../../features/api-keys/api-key.ts'
import type { CreatedDevice } from '../../features/devices/schema.ts'
import {
  createProbeWorkspace,
  discardProbeWorkspace,
} from '../../features/workspaces/probe-workspace.ts'
import { BASE_PATH } from '../../http/operation.ts'
import { formatId } from '../../lib/ids.ts'
import { systemWords } from '../../lib/system-words.ts'
import { CommandFailure } from './command.ts'
import {
  postTo,
  readPem,
  type ServiceAddress,
  type ServiceAnswer,
  serviceAddressOf,
} from './service-call.ts'
import { type Session, withInstallation } from './session.ts'

export interface Wish {
  /** `embedded`, or a name in the brokers file. */
  name: string
  /** Where to connect; undefined: the endpoint that devices are told. */
  url: string | undefined
  /** Origin of the API; undefined: the configured port on this machine. */
  api: string | undefined
  /** Path of a PEM file, for the broker and the API; undefined: the system's CAs. */
  ca: string | undefined
}

/** Seconds within which a revoke must take effect, as promised by the service; 3 by default. */
const BOUND_SECONDS: Partial<Record<BrokerKind, number>> = { embedded: 1, emqx: 5 }
const PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:']

type CreatedCredentials = NonNullable<CreatedDevice['mqtt_credentials']>

interface Made {
  path: string
  login: Login
  credentials: CreatedCredentials
}

interface Caller {
  workspacePath: string
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

function refusalOf({ status, text }: ServiceAnswer): string {
  if (status !== 401) return `answered ${status}: ${text}`
  return (
    'does not know a key that was just made: it has another database. Give this command the ' +
    'settings of the service (MOORING_DATA_DIR or DATABASE_URL, MOORING_MASTER_KEY).'
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
  return {
    workspacePath: `/workspaces/${formatId('ws', workspaceId)}`,
    async call(path, body = {}) {
      const { origin } = service
      const answer = await postTo(service, BASE_PATH + path, { 'x-api-key': key }, body).catch(
        (error: unknown) => {
          throw new CommandFailure(
            `The service does not answer at ${origin}: ${systemWords(error)}.`,
          )
        },
      )
      if (answer.status < 300) return JSON.parse(answer.text || 'null')
      throw new CommandFailure(`The service at ${origin} ${refusalOf(answer)}`)
    },
  }
}

async function makeDevice({ workspacePath, call }: Caller, key: string): Promise<Made> {
  const path = `${workspacePath}/devices`
  const device = (await call(path, { device_key: key })) as CreatedDevice
  const credentials = device.mqtt_credentials
  if (credentials === undefined) throw new CommandFailure('A device was made without credentials.')
  const { username, password, client_id: clientId, topic_prefix: prefix } = credentials
  return {
    path: `${path}/${device.id}`,
    login: { username, password, clientId, prefix },
    credentials,
  }
}

function addressOf(
  url: string | undefined,
  entry: BrokerEntry | undefined,
  told: CreatedCredentials,
): URL {
  const [endpoint] = entry?.endpoints ?? []
  if (entry !== undefined && endpoint === undefined && url === undefined) {
    throw new CommandFailure(`The broker ${entry.name} has no endpoints in its file: give --url.`)
  }
  const {
    protocol,
    host,
    port,
    path = '/mqtt',
  } = endpoint ?? {
    protocol: told.tls ? 'mqtts' : 'mqtt',
    host: told.host,
    port: told.port,
  }
  const bracketed = host.includes(':') ? `[${host}]` : host
  const address = new URL(url ?? `${protocol}://${bracketed}:${port}`)
  if (url === undefined && protocol.startsWith('ws')) address.pathname = path
  if (PROTOCOLS.includes(address.protocol)) return address
  throw new CommandFailure(`--url must begin with one of ${PROTOCOLS.join(' ')}`)
}

async function makePatient(
  session: Session,
  wish: Wish,
  workspaces: readonly [string, string],
): Promise<Patient> {
  const config = readConfig()
  const entry = entryOf(config, wish.name)
  const authority = wish.ca === undefined ? undefined : readPem(wish.ca, '--ca')
  const service = serviceAddressOf(config, wish.api, authority)
  const [home, abroad] = await Promise.all(
    workspaces.map((workspaceId) => callerOf(session, workspaceId, service)),
  )
  const own = await makeDevice(home as Caller, 'own')
  const neighbour = await makeDevice(home as Caller, 'neighbour')
  const foreign = await makeDevice(abroad as Caller, 'foreign')
  const keyring = await session.keyring()
  const kind: BrokerKind = entry?.kind ?? 'embedded'
  const asksHooks = entry !== undefined && kind !== 'mosquitto-dynsec'
  return {
    kind,
    url: addressOf(wish.url, entry, own.credentials),
    ca: authority ?? entry?.mqtt?.ca,
    own: own.login,
    neighbour: neighbour.login,
    foreign: foreign.login,
    async commandForeign() {
      await (abroad as Caller).call(`${foreign.path}/commands`, { name: 'probe' })
    },
    async revokeOwn() {
      await (home as Caller).call(`${own.path}/suspend`)
    },
    boundSeconds: BOUND_SECONDS[kind] ?? 3,
    disturbed: asksHooks
      ? (disturbance) => makeHookProbe(keyring, disturbance, session.clock.now())
      : undefined,
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
      const patient = await makePatient(session, wish, workspaces)
      const address = patient.url.href
      const results = await examine(patient, probes, onResult).catch((error: unknown) => {
        if (!(error instanceof Unreachable)) throw error
        throw new CommandFailure(`${wish.name} can not be reached at ${address}: ${error.message}`)
      })
      return { address, results }
    } finally {
      for (const workspaceId of workspaces) await discardProbeWorkspace(session, workspaceId)
    }
  })
}
