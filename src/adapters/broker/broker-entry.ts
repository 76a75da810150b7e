/**
 * The schema of the brokers file: which external brokers there are, how each authenticates to us,
 * and how we reach it. Adapters receive an entry; app/brokers-file.ts reads the file.
 */
import Type, { type Static, type TSchema } from 'typebox'

const closed = { additionalProperties: false }

export const Text = Type.String({ minLength: 1, maxLength: 1_024 })

/** Only characters that need no escaping in a URL: some brokers can keep a secret only there. */
const HookSecret = Type.String({ pattern: '^[A-Za-z0-9._~-]{32,256}$' })

const login = {
  username: Text,
  password: Text,
  /** PEM file of the CA to trust, if it is not one of the system's. */
  ca_file: Type.Optional(Text),
}

const Admin = Type.Object(
  {
    /** The broker's admin interface: `http(s)://…`, or `mqtt(s)://…` for dynamic security. */
    url: Type.String({ pattern: '^(?:https?|mqtts?)://[^\\s/?#@]+(?:/[^\\s?#]*)?$' }),
    ...login,
  },
  closed,
)

const Mqtt = Type.Object(
  {
    /** Where the service itself connects as an MQTT client. */
    url: Type.String({ pattern: '^(?:mqtts?|wss?)://[^\\s/?#@]+(?:/[^\\s?#]*)?$' }),
    ...login,
  },
  closed,
)

const Endpoint = Type.Object(
  {
    protocol: Type.Enum(['mqtt', 'mqtts', 'ws', 'wss']),
    host: Type.String({ pattern: '^[A-Za-z0-9.:_-]{1,253}$' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    /** For WebSocket URLs; `/mqtt` by default. */
    path: Type.Optional(Type.String({ pattern: '^/[^\\s?#]{0,200}$' })),
    /** The broker that provisioning responses name; at most one in the file. */
    default: Type.Optional(Type.Boolean()),
  },
  closed,
)

/** Settings that an entry of any kind may hold. */
const members = {
  /** Identifies the broker in paths, logs and receipts; unique in the file. */
  name: Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }),
  kind: Type.String(),
  /**
   * Secrets that the broker presents when it calls a hook: the current one, and old ones that are
   * still accepted.
   */
  hook_secrets: Type.Optional(
    Type.Array(HookSecret, { minItems: 1, maxItems: 3, uniqueItems: true }),
  ),
  admin: Type.Optional(Admin),
  mqtt: Type.Optional(Mqtt),
  endpoints: Type.Optional(Type.Array(Endpoint, { maxItems: 16 })),
}

const Common = Type.Object(members, closed)

/** The schema of the file for these kinds, each with the members that only it has. */
export function brokersFileSchema(
  kinds: readonly { name: string; settings?: Readonly<Record<string, TSchema>> }[],
): TSchema {
  const kind = Type.Enum(kinds.map(({ name }) => name))
  const settings = Object.assign({}, ...kinds.map((each) => each.settings)) as object
  const Entry = Type.Object({ ...members, kind, ...settings }, closed)
  return Type.Object({ brokers: Type.Array(Entry, { maxItems: 32 }) }, closed)
}

type Written = Static<typeof Common>

/** The contents of a `ca_file` when the entry was read. */
interface Authority {
  ca?: string
}

export interface BrokerEntry extends Omit<Written, 'admin' | 'mqtt'> {
  admin?: Static<typeof Admin> & Authority
  mqtt?: Static<typeof Mqtt> & Authority
}

/** Read access to the brokers file: always its last valid version. */
export interface Brokers {
  present(): readonly BrokerEntry[]
  /** Calls the listener with all brokers after each change. */
  onChange(listener: (brokers: readonly BrokerEntry[]) => void): void
}
