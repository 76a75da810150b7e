/**
 * Every configuration variable with its default, check and description. The service, `mooring
 * config` and docs/configuration.md are built from this list.
 */
import {
  choice,
  integer,
  limit,
  networks,
  optional,
  orUnset,
  port,
  readKey,
  refuse,
  text,
  type Variable,
} from './kinds.ts'
import { peopleVariables } from './people.ts'
import { dnsVariables } from './dns.ts'
import { mqttLimitVariables } from './mqtt-limits.ts'
import { telemetryVariables } from './telemetry.ts'
import { webhookVariables } from './webhooks.ts'
import { paymentVariables } from './payments.ts'

const moidLimitVariables = {
  limitMoidSessions: limit(
    'MOORING_LIMIT_MOID_SESSIONS',
    100,
    'Sessions of mobile identities that one address may open in an hour, per workspace.',
  ),
  limitMoidSessionsOfWorkspace: limit(
    'MOORING_LIMIT_MOID_SESSIONS_OF_WORKSPACE',
    3_000,
    'Sessions of mobile identities that all addresses together may open in an hour, per workspace.',
  ),
  limitMoidClaims: limit(
    'MOORING_LIMIT_MOID_CLAIMS',
    100,
    'Claims in an hour that mobile identities without a device may start from one address, per workspace.',
  ),
  limitMoidClaimsOfWorkspace: limit(
    'MOORING_LIMIT_MOID_CLAIMS_OF_WORKSPACE',
    3_000,
    'Claims in an hour that mobile identities without a device may start from all addresses together, per workspace.',
  ),
  limitMoidCallsOfWorkspace: limit(
    'MOORING_LIMIT_MOID_CALLS_OF_WORKSPACE',
    6_000,
    'Calls a minute of all mobile identities without a device, per workspace.',
  ),
} as const

const billingVariables = {
  plansFile: optional(
    'MOORING_PLANS_FILE',
    'no plans: no limits, no invoices',
    'JSON file with the plans that workspaces can have, as examples/plans.json. It is read at the start.',
  ),
  invoiceSeller: text(
    'MOORING_INVOICE_SELLER',
    'Mooring',
    'The issuer of the invoices: name, address and tax id. Lines end with `|` or a line break; in a text with neither, with a comma.',
  ),
  invoiceDueDays: integer(
    'MOORING_INVOICE_DUE_DAYS',
    14,
    [0, 365],
    'Days after which an invoice that is not paid is overdue.',
  ),
  invoiceFont: optional(
    'MOORING_INVOICE_FONT',
    'Helvetica, which has Latin letters only',
    'TrueType or OpenType font for PDFs of invoices, which is embedded in them.',
  ),
  usageHourDays: integer(
    'MOORING_USAGE_HOUR_DAYS',
    400,
    [62, 36_500],
    'Days for which usage is kept by hour; after that by day, as long as the workspace.',
  ),
  taxName: text('MOORING_TAX_NAME', 'VAT', 'The name of the tax on invoices.'),
  taxRateBp: integer(
    'MOORING_TAX_RATE_BP',
    0,
    [0, 10_000],
    'Rate of the tax on invoices in basis points: 1900 is 19 %. 0: no tax.',
  ),
}

const acmeVariables = {
  acmeDirectoryUrl: optional(
    'MOORING_ACME_DIRECTORY_URL',
    'no certificates by ACME',
    'Directory of the authority that certificates of domains are ordered from, as https://acme-v02.api.letsencrypt.org/directory. To set it is to agree to its terms of service.',
  ),
  acmeContact: optional(
    'MOORING_ACME_CONTACT',
    'none',
    'Mail address that the authority may write to.',
  ),
  acmeCaFile: optional(
    'MOORING_ACME_CA_FILE',
    'the roots that everybody knows',
    'PEM file with the root of a private ACME server.',
  ),
  acmeKeyId: optional(
    'MOORING_ACME_EAB_KEY_ID',
    'none',
    'Key id of the external account binding, where the authority asks for one.',
  ),
  acmeHmacKey: optional(
    'MOORING_ACME_EAB_HMAC_KEY',
    'required with MOORING_ACME_EAB_KEY_ID',
    'HMAC key of the external account binding, in base64url.',
    true,
  ),
  acmeHttpPort: orUnset(
    port(
      'MOORING_ACME_HTTP_PORT',
      80,
      'Port of a listener on the address of the API that only responds to http-01 challenges. Authorities connect to port 80.',
    ),
    'closed: only the port of the API responds to challenges',
  ),
} as const

/** All variables, in the order in which the docs show them. */
export const variables = {
  httpPort: port('MOORING_HTTP_PORT', 8080, 'Port of the API.'),
  operatorPort: port('MOORING_OPERATOR_PORT', 8081, 'Port of health and metrics.'),
  mqttPort: port('MOORING_MQTT_PORT', 1883, 'Port of the embedded MQTT broker.'),
  mqttTlsPort: orUnset(
    port('MOORING_MQTT_TLS_PORT', 8883, 'Port of MQTT over TLS; needs a certificate.'),
    'closed',
  ),
  mqttWsPort: orUnset(
    port('MOORING_MQTT_WS_PORT', 9001, 'Port of MQTT over WebSocket, at the path /mqtt.'),
    'closed',
  ),
  mqttWssPort: orUnset(
    port(
      'MOORING_MQTT_WSS_PORT',
      9443,
      'Port of MQTT over WebSocket and TLS, at the path /mqtt; needs a certificate.',
    ),
    'closed',
  ),
  httpHost: text(
    'MOORING_HTTP_HOST',
    '127.0.0.1',
    'Address that the API listens on. Beyond loopback, give a certificate or stand behind a proxy that ends TLS.',
  ),
  operatorHost: text('MOORING_OPERATOR_HOST', '127.0.0.1', 'Address of health and metrics.'),
  mqttHost: text('MOORING_MQTT_HOST', '127.0.0.1', 'Address that the broker listens on.'),
  mqttPublicHost: optional(
    'MOORING_MQTT_PUBLIC_HOST',
    'the host of the origin',
    'MQTT host that provisioning returns to devices.',
  ),
  mqttPublicPort: orUnset(
    integer(
      'MOORING_MQTT_PUBLIC_PORT',
      1883,
      [1, 65_535],
      'MQTT port that provisioning returns to devices.',
    ),
    'the TLS port of the broker if it is open, else the plain one',
  ),
  mqttPublicTls: orUnset(
    choice(
      'MOORING_MQTT_PUBLIC_TLS',
      ['on', 'off'],
      'off',
      'Whether provisioning returns to devices that they must use TLS. Set it to on if a proxy in front of the broker terminates TLS.',
    ),
    'on if the TLS port of the broker is open',
  ),
  embeddedBroker: choice(
    'MOORING_EMBEDDED_BROKER',
    ['on', 'off'],
    'on',
    'Whether this process is an MQTT broker itself; off where all devices use external ones.',
  ),
  brokersFile: optional(
    'MOORING_BROKERS_FILE',
    'no external brokers',
    'JSON file that names the external brokers and their secrets. A change of the file is seen within seconds.',
  ),
  ...mqttLimitVariables,
  ...billingVariables,
  ...paymentVariables,
  ...peopleVariables,
  dataDir: text(
    'MOORING_DATA_DIR',
    './data',
    'Folder of the embedded database and of the master key.',
  ),
  processes: {
    name: 'MOORING_PROCESSES',
    fallback: 'auto: one on up to two cores, else one for each core, at most eight',
    about:
      'Processes on this machine, including the one that is started. From two on, that one has the broker, the timers and the embedded database, and the others serve the API on its port.',
    read(value) {
      if (value === undefined || value === 'auto') return undefined
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
      if (number >= 1 && number <= 64) return number
      return refuse('MOORING_PROCESSES', 'must be auto or a whole number from 1 to 64')
    },
  } satisfies Variable<number | undefined>,
  databaseUrl: optional(
    'DATABASE_URL',
    'an embedded Postgres in the data folder',
    'Connection URI of a Postgres from version 15 on, with its TLS options (sslmode, sslrootcert, sslcert, sslkey). Of several hosts, separated by commas, the one that takes writes is used.',
    true,
  ),
  databasePoolSize: integer(
    'MOORING_DATABASE_POOL_SIZE',
    10,
    [1, 500],
    'Connections for requests within a workspace. Half as many serve requests without a workspace, and at most ten serve background tasks.',
  ),
  databasePrepared: choice(
    'MOORING_DATABASE_PREPARED',
    ['on', 'off'],
    'on',
    'Named prepared statements; off behind pgbouncer before 1.21 in transaction mode.',
  ),
  databaseRole: text(
    'MOORING_DATABASE_ROLE',
    'mooring_requests',
    "Database role for requests. Row-level security limits it to the rows of the request's workspace. It is created if the login has the right. none: requests run as the owner of the tables.",
  ),
  masterKey: {
    name: 'MOORING_MASTER_KEY',
    fallback: 'a file in the data folder, generated at the first start',
    about:
      'The master key, which encrypts all other keys: 32 bytes in base64. Processes that share a database need the same one. Keep a copy: without it the data cannot be used.',
    secret: true,
    read: (value) => (value === undefined ? undefined : readKey('MOORING_MASTER_KEY', value)),
  } satisfies Variable<Buffer | undefined>,
  newMasterKey: {
    name: 'MOORING_NEW_MASTER_KEY',
    fallback: 'the command generates one in the data folder',
    about:
      'Read by `mooring master-key replace` only: the key that is to follow MOORING_MASTER_KEY, 32 bytes in base64.',
    secret: true,
    read: (value) => (value === undefined ? undefined : readKey('MOORING_NEW_MASTER_KEY', value)),
  } satisfies Variable<Buffer | undefined>,
  bootstrapEmail: text(
    'MOORING_BOOTSTRAP_EMAIL',
    'owner@example.com',
    'Email address of the owner that the first start creates.',
  ),
  bootstrapPassword: optional(
    'MOORING_BOOTSTRAP_PASSWORD',
    'generated, printed once, and to be changed at the first sign-in',
    'Password of the owner that the first start creates, of at least 15 characters. Only the first start uses it.',
    true,
  ),
  bootstrapWorkspace: text(
    'MOORING_BOOTSTRAP_WORKSPACE',
    'main',
    'Slug of the workspace that the first start creates.',
  ),
  mfaRequired: choice(
    'MOORING_MFA_REQUIRED',
    ['on', 'off'],
    'off',
    'Whether every user needs a second factor. Users without one can access only their own account. A workspace can also require it for itself.',
  ),
  rateLimits: choice('MOORING_RATE_LIMITS', ['on', 'off'], 'on', 'Rate limits of the API.'),
  rateLimitStore: choice(
    'MOORING_RATE_LIMIT_STORE',
    ['auto', 'memory', 'database'],
    'auto',
    'Where rate limits are counted. auto: in memory on the embedded database, else in the database, since other processes may share it.',
  ),
  limitAuth: limit(
    'MOORING_LIMIT_AUTH',
    20,
    'Refused sign-ins a minute per address; sign-ins per address and account; refreshes per session.',
  ),
  limitRead: limit('MOORING_LIMIT_READ', 300, 'Reads a minute, per caller.'),
  limitWrite: limit('MOORING_LIMIT_WRITE', 100, 'Writes a minute, per caller.'),
  limitProvision: limit('MOORING_LIMIT_PROVISION', 50, 'Provisioning calls a minute, per key.'),
  limitSafety: limit(
    'MOORING_LIMIT_SAFETY',
    600,
    'Rotations, revocations, deletions and logouts a minute, per caller.',
  ),
  ...moidLimitVariables,
  trustedProxies: networks(
    'MOORING_TRUSTED_PROXIES',
    'Addresses or networks (CIDR) of proxies whose X-Forwarded-For is trusted.',
  ),
  httpConnections: integer(
    'MOORING_HTTP_MAX_CONNECTIONS',
    10_000,
    [1, 1_000_000],
    'Connections of the API at once. More are closed.',
  ),
  httpPerAddress: integer(
    'MOORING_HTTP_MAX_CONNECTIONS_PER_ADDRESS',
    1_000,
    [1, 1_000_000],
    'Connections of the API from one address at once. It does not apply to MOORING_TRUSTED_PROXIES.',
  ),
  tlsCertFile: optional(
    'MOORING_TLS_CERT_FILE',
    'plain HTTP',
    'PEM file with the certificate chain of the API and of MQTT. A change of the file is seen within seconds.',
  ),
  tlsKeyFile: optional(
    'MOORING_TLS_KEY_FILE',
    'required with MOORING_TLS_CERT_FILE',
    'PEM file with the private key of the certificate.',
  ),
  ...dnsVariables,
  ...acmeVariables,
  auditAnchorIntervalS: integer(
    'MOORING_AUDIT_ANCHOR_INTERVAL_S',
    3_600,
    [0, 604_800],
    'Seconds between anchors of the audit logs, where they have grown. 0: only on demand.',
  ),
  auditAnchorFile: optional(
    'MOORING_AUDIT_ANCHOR_FILE',
    'no file',
    'File that anchors of the audit logs are appended to, a JSON object a line; best on a disk that the service can only append to.',
  ),
  auditRetentionDays: integer(
    'MOORING_AUDIT_RETENTION_DAYS',
    0,
    [0, 36_500],
    'Days after which entries of the audit logs are deleted. The remaining entries can still be verified. 0: never.',
  ),
  eventsRetentionDays: integer(
    'MOORING_EVENTS_RETENTION_DAYS',
    90,
    [0, 36_500],
    'Days after which events are deleted. 0: they are kept.',
  ),
  ...webhookVariables,
  streams: integer(
    'MOORING_STREAMS',
    1_000,
    [1, 100_000],
    'Streams of server-sent events that a process keeps open.',
  ),
  streamsPerWorkspace: integer(
    'MOORING_STREAMS_PER_WORKSPACE',
    100,
    [1, 100_000],
    'Streams of server-sent events that a process keeps open for one workspace.',
  ),
  streamsPerUser: integer(
    'MOORING_STREAMS_PER_USER',
    20,
    [1, 100_000],
    'Streams of server-sent events that a process keeps open for one person. A browser with the console needs one for each workspace it shows.',
  ),
  ...telemetryVariables,
} as const

type Read<V> = V extends Variable<infer T> ? T : never
export type Config = { readonly [Name in keyof typeof variables]: Read<(typeof variables)[Name]> }
