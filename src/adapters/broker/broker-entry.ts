/**
 * The schema of the brokers file: which external brokers there are, how each authenticates to us,
 * and how we reach it. Adapters receive an entry; app/brokers-file.ts reads the file.
 */
import Type, { type Static } from 'typebox'

const brokerKinds = [
  'emqx',
  'rabbitmq',
  'mosquitto-go-auth',
  'mosquitto-dynsec',
  'nanomq',
  'vernemq',
] as const

const closed = { additionalProperties: false }

const Text = Type.String({ minLength: 1, maxLength: 1_024 })

/** Only characters that need no escaping in a URL: some brokers can keep a secret only there. */
const HookSecret = Type.String({ pattern: '^[A-Za-z0-9._~-]{32,256}$' })

const Admin = Type.Object(
  {
    /** The broker's admin interface: `http(s)://…`, or `mqtt(s)://…` for dynamic security. */
    url: Type.String({ pattern: '^(?:https?|mqtts?)://[^\\s/?#@]+(?:/[^\\s?#]*)?$' }),
    username: Text,
    password: Text,
    /** PEM file of the CA to trust, if it is not one of the system's. */
    ca_file: Type.Optional(Text),
  },
  closed,
)

const Mqtt = Type.Object(
  {
    /** Where the service itself connects as an MQTT client. */
    url: Type.String({ pattern: '^(?:mqtts?|wss?)://[^\\s/?#@]+(?:/[^\\s?#]*)?$' }),
    username: Text,
    password: Text,
    ca_file: Type.Optional(Text),
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

const Emqx = Type.Object(
  {
    /**
     * EMQX 6.0 and later: gives sessions client ids that cannot collide with another workspace's.
     */
    client_id_override: Type.Optional(Type.Boolean()),
    /**
     * `at_connect` (default): the answer to a CONNECT contains all rules. `on_demand`: EMQX asks
     * for each topic through the `authz` hook, and must be configured to deny if the hook gives no
     * answer.
     */
    rules: Type.Optional(Type.Enum(['at_connect', 'on_demand'])),
  },
  closed,
)

const BrokerEntrySchema = Type.Object(
  {
    /** Identifies the broker in paths, logs and receipts; unique in the file. */
    name: Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }),
    kind: Type.Enum([...brokerKinds]),
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
    /** RabbitMQ's virtual host; `/` by default. */
    vhost: Type.Optional(Text),
    emqx: Type.Optional(Emqx),
  },
  closed,
)

export const BrokersFileSchema = Type.Object(
  { brokers: Type.Array(BrokerEntrySchema, { maxItems: 32 }) },
  closed,
)

type Written = Static<typeof BrokerEntrySchema>

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
