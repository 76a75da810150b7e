/**
 * The shape of the brokers file: which external brokers there are, how each of them proves to us
 * who it is, and how we reach it. Adapters take an entry; app/brokers-file.ts reads the file.
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

/** Characters that stand for themselves in a URL: some brokers can keep a secret only there. */
const HookSecret = Type.String({ pattern: '^[A-Za-z0-9._~-]{32,256}$' })

const Admin = Type.Object(
  {
    /** Where the broker is administered: `http(s)://…`, or `mqtt(s)://…` for dynamic security. */
    url: Type.String({ pattern: '^(?:https?|mqtts?)://[^\\s/?#@]+(?:/[^\\s?#]*)?$' }),
    username: Text,
    password: Text,
    /** PEM file of the authority to trust, where it is not one of the system's. */
    ca_file: Type.Optional(Text),
  },
  closed,
)

const Mqtt = Type.Object(
  {
    /** Where the service itself connects to the broker. */
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
    /** Of a WebSocket; `/mqtt` unless told. */
    path: Type.Optional(Type.String({ pattern: '^/[^\\s?#]{0,200}$' })),
    /** The one that provisioning tells devices; at most one of the whole file. */
    default: Type.Optional(Type.Boolean()),
  },
  closed,
)

const Emqx = Type.Object(
  {
    /** From EMQX 6.0 on: sessions get client ids that no other workspace can have. */
    client_id_override: Type.Optional(Type.Boolean()),
    /**
     * `at_connect` unless told: the answer to a CONNECT holds all rules. `on_demand`: EMQX asks for
     * each topic, by the hook `authz`, and it has to be told to deny where that has no answer.
     */
    rules: Type.Optional(Type.Enum(['at_connect', 'on_demand'])),
  },
  closed,
)

const BrokerEntrySchema = Type.Object(
  {
    /** Names the broker in paths, logs and receipts; unique in the file. */
    name: Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }),
    kind: Type.Enum([...brokerKinds]),
    /** What the broker shows when it calls a hook: the present one, and those that still count. */
    hook_secrets: Type.Optional(
      Type.Array(HookSecret, { minItems: 1, maxItems: 3, uniqueItems: true }),
    ),
    admin: Type.Optional(Admin),
    mqtt: Type.Optional(Mqtt),
    endpoints: Type.Optional(Type.Array(Endpoint, { maxItems: 16 })),
    /** RabbitMQ's virtual host; `/` unless told. */
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

/** What a `ca_file` held when the entry was read. */
interface Authority {
  ca?: string
}

export interface BrokerEntry extends Omit<Written, 'admin' | 'mqtt'> {
  admin?: Static<typeof Admin> & Authority
  mqtt?: Static<typeof Mqtt> & Authority
}

/** What helpers of the service see of the brokers file: always the last version that was good. */
export interface Brokers {
  present(): readonly BrokerEntry[]
  /** Calls the listener after each change, with all brokers. */
  onChange(listener: (brokers: readonly BrokerEntry[]) => void): void
}
