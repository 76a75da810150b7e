/** The layers of the source as data: the files of each, what they may import, and why. */

export interface Layer {
  name: string
  /** Matches the paths of its files; the first layer that matches has the file. */
  files: RegExp
  /**
   * Names of layers that its files may import. `type` before a name: types only. `own` before a
   * name: of the same folder only; `other`: of another one only. By default none.
   */
  may?: readonly string[]
  /** The packages, as the same kind of list; by default none. */
  packages?: readonly string[]
  because: string
}

/** Modules of Node. */
const node = (names: string): string[] => names.split(' ').map((name) => `node:${name}`)

const inFeature = (file: string): RegExp => new RegExp(`^src/features/[^/]+/[^/]+/${file}$`)

export const layers: readonly Layer[] = [
  {
    name: 'lib',
    files: /^src\/platform\/lib\//,
    may: ['lib'],
    packages: ['node:crypto', 'node:net', 'node:zlib', 'typebox'],
    because: 'Pure helpers import nothing of ours, so that everything can use them.',
  },
  {
    name: 'errors',
    files: /^src\/platform\/errors\//,
    may: ['errors'],
    because: 'The failure catalogue is one page that everybody reads.',
  },
  {
    name: 'trace',
    files: /^src\/platform\/trace\//,
    may: ['trace', 'lib'],
    packages: ['node:async_hooks'],
    because: 'Traced code imports the trace, never the other way round.',
  },
  {
    name: 'access',
    files: /^src\/platform\/access\//,
    may: ['access', 'errors', 'lib'],
    packages: [
      'node:crypto',
      'node:os',
      '@node-rs/argon2',
      'lru-cache',
      'otplib',
      '@simplewebauthn/server',
    ],
    because: 'Cryptography of credentials is tested without a database and without HTTP.',
  },
  {
    name: 'broker port',
    files:
      /^src\/adapters\/broker\/(?:port|external-port|bridge-port|store-port|traffic-meter)\.ts$/,
    may: ['broker port'],
    because: 'The interface to brokers must not depend on any broker.',
  },
  {
    name: 'broker entry',
    files: /^src\/adapters\/broker\/broker-entry\.ts$/,
    packages: ['typebox'],
    because: 'The brokers file lists the brokers, and each adapter reads its own entry.',
  },
  {
    name: 'broker kind',
    files: /^src\/adapters\/broker\/broker-kind\.ts$/,
    may: ['type broker entry', 'type broker port', 'type broker hooks'],
    packages: ['type typebox'],
    because: 'It declares the parts of a kind of broker, and imports none of them.',
  },
  {
    name: 'broker kinds',
    files: /^src\/adapters\/broker\/kinds\.ts$/,
    may: ['broker entry', 'type broker kind', 'broker adapter'],
    because: 'It is nothing but the list.',
  },
  {
    name: 'broker topics',
    files: /^src\/adapters\/broker\/(?:topics|rule-loss)\.ts$/,
    may: ['broker port', 'broker topics', 'lib'],
    packages: ['lru-cache'],
    because: 'The rules of topics are the same for every broker.',
  },
  {
    name: 'broker admin',
    files: /^src\/adapters\/broker\/admin\//,
    may: ['broker admin', 'broker port', 'lib'],
    packages: ['node:http', 'node:https', 'node:module', 'node:timers/promises', 'type mqtt'],
    because: 'Calls of external brokers, and their failures, are the same for each API.',
  },
  {
    name: 'broker hooks',
    files: /^src\/adapters\/broker\/hooks\//,
    may: ['broker hooks', 'type broker entry', 'broker port', 'broker topics', 'lib'],
    packages: ['lru-cache', 'node:crypto', 'node:http', 'node:net', 'node:timers/promises'],
    because: 'Authentication of hooks and their responses are the same for each kind of broker.',
  },
  {
    name: 'broker adapter',
    files: /^src\/adapters\/broker\/[^/]+\//,
    may: [
      'own broker adapter',
      'broker admin',
      'broker entry',
      'broker hooks',
      'broker kind',
      'broker port',
      'broker topics',
      'lib',
    ],
    packages: [
      'lru-cache',
      'mqtt',
      'ws',
      'typebox',
      ...node('buffer fs http https crypto events net stream timers/promises tls'),
    ],
    because: 'An adapter imports only its port: one can be replaced without changing the rest.',
  },
  {
    name: 'database',
    files: /^src\/platform\/database\//,
    may: ['database', 'errors', 'lib', 'trace'],
    packages: [
      'lru-cache',
      'pg',
      'typebox',
      ...node(
        'child_process crypto fs fs/promises net os path perf_hooks sqlite timers/promises url util',
      ),
    ],
    because: 'Access to rows does not depend on their meaning.',
  },
  {
    name: 'backup',
    files: /^src\/platform\/backup\//,
    may: ['backup', 'database'],
    packages: [
      'age-encryption',
      ...node('crypto stream stream/promises util zlib'),
      'pg',
      'pg-copy-streams',
    ],
    because: 'It copies rows by the catalog of the database, whatever they mean.',
  },
  {
    name: 'http',
    files: /^src\/platform\/http\//,
    may: ['http', 'access', 'errors', 'lib', 'trace'],
    packages: [
      '@scalar/fastify-api-reference',
      'ajv',
      'ajv-formats',
      'csv-parse',
      'fast-json-stringify',
      'fastify',
      'prom-client',
      'type rate-limiter-flexible',
      'typebox',
      ...node('crypto http https net stream timers/promises'),
    ],
    because: 'Transport knows no feature: it takes them as a list of operations.',
  },
  {
    name: 'record',
    files: /^src\/platform\/record\//,
    may: ['record', 'database', 'lib', 'trace'],
    because: 'An event is data that commits with its change, in every feature.',
  },
  {
    name: 'mail port',
    files: /^src\/adapters\/smtp\/port\.ts$/,
    because: 'The sender of a mail must not depend on its transport.',
  },
  {
    name: 'mail adapter',
    files: /^src\/adapters\/smtp\//,
    may: ['mail port', 'lib'],
    packages: ['nodemailer'],
    because: 'It sends mail and does not depend on the content.',
  },
  {
    name: 'webhook sender',
    files: /^src\/adapters\/webhook-sender\//,
    may: ['webhook sender', 'type dns', 'lib'],
    packages: ['node:crypto', 'node:http', 'node:https', 'node:net', 'node:perf_hooks'],
    because: 'Sending safely to an unknown receiver does not depend on content.',
  },
  {
    name: 'dns',
    files: /^src\/adapters\/dns\//,
    may: ['dns', 'lib'],
    packages: ['node:dns/promises', 'node:net', 'node:url', 'tldts'],
    because: 'Names and DNS records are read independently of their owner.',
  },
  {
    name: 'tls',
    files: /^src\/adapters\/tls\//,
    may: ['tls'],
    packages: ['node:crypto', 'node:tls'],
    because: 'The validity of a certificate does not depend on its owner.',
  },
  {
    name: 'acme port',
    files: /^src\/adapters\/acme\/port\.ts$/,
    because: 'An order for a certificate must not depend on the ACME library.',
  },
  {
    name: 'acme adapter',
    files: /^src\/adapters\/acme\//,
    may: ['acme adapter', 'acme port'],
    packages: ['acme-client', 'node:crypto', 'node:https', 'node:tls'],
    because: 'It speaks to an authority and does not depend on the owner of the domain.',
  },
  {
    name: 'oidc port',
    files: /^src\/adapters\/oidc\/port\.ts$/,
    because: 'Sign-in must not depend on the library that speaks to the providers.',
  },
  {
    name: 'oidc adapter',
    files: /^src\/adapters\/oidc\//,
    may: ['oidc port'],
    packages: ['openid-client'],
    because: 'It speaks to a provider.',
  },
  {
    name: 'pdf',
    files: /^src\/adapters\/pdf\//,
    may: ['pdf', 'lib'],
    packages: ['fontkit', 'pdfkit'],
    because: 'The layout of a page does not depend on its content.',
  },
  {
    name: 'payment port',
    files: /^src\/adapters\/payment-provider\/port\.ts$/,
    because: 'The interface to payment providers must not depend on any of them.',
  },
  {
    name: 'payment adapter',
    files: /^src\/adapters\/payment-provider\//,
    may: ['payment port', 'payment adapter'],
    packages: ['stripe'],
    because: 'It moves money and does not depend on the purpose.',
  },
  {
    name: 'jobs',
    files: /^src\/platform\/jobs\//,
    may: ['jobs', 'record', 'database', 'lib', 'trace'],
    packages: ['graphile-worker', 'node:events', 'node:timers/promises', 'pg'],
    because: 'The queue does not know what its tasks do.',
  },
  {
    name: 'context',
    files: /^src\/context\.ts$/,
    may: [
      'type access',
      'type broker entry',
      'type broker port',
      'type database',
      'type dns',
      'type record',
      'http',
      'lib',
      'type payment port',
    ],
    because: 'It names the services that features get; making them is the work of app.ts.',
  },
  {
    name: 'shared shapes',
    files: /^src\/features\/common\//,
    may: ['shared shapes', 'errors', 'lib', 'type context', 'type database'],
    packages: ['node:crypto', 'typebox'],
    because: 'Shapes that several slices share belong to none of them.',
  },
  {
    name: 'statement texts',
    files: inFeature('[a-z-]+-statements\\.ts'),
    may: ['database'],
    because: 'SQL on tables of one form is composed once; the store of each table declares it.',
  },
  {
    name: 'store',
    files: inFeature('(?:[a-z-]+-)?store\\.ts'),
    may: [
      'own store',
      'statement texts',
      'database',
      'lib',
      'type access',
      'type broker port',
      'type record',
      'type rule',
      'own schema',
      'shared shapes',
    ],
    because: 'Queries are the only thing in it, so that all SQL of a slice is on one page.',
  },
  {
    name: 'schema',
    files: inFeature('schema\\.ts'),
    may: ['access', 'grammar', 'lib', 'shared shapes'],
    packages: ['typebox'],
    because: 'The shapes of a slice are read by people who know nothing else of it.',
  },
  {
    name: 'routes',
    files: inFeature('(?:[a-z-]+-)?routes\\.ts'),
    may: ['access', 'context', 'http', 'own rule', 'own schema', 'shared shapes'],
    packages: ['typebox'],
    because: 'An operation is data, and its `run` is one call of a rule of its own slice.',
  },
  {
    name: 'grammar',
    files: inFeature('[a-z-]+-format\\.ts'),
    may: ['lib'],
    because: 'Schemas and rules use the same format of a text.',
  },
  {
    name: 'http port',
    files: /^src\/platform\/idempotency\//,
    may: ['http', 'access', 'database', 'errors', 'lib', 'http port'],
    packages: ['node:crypto'],
    because: 'It stores responses for HTTP, so it implements the port that HTTP declares.',
  },
  {
    name: 'rule',
    files: inFeature('[a-z-]+\\.ts'),
    may: [
      'access',
      'acme port',
      'tls',
      'type broker entry',
      'broker port',
      'broker topics',
      'context',
      'database',
      'dns',
      'pdf',
      'errors',
      'record',
      'grammar',
      'jobs',
      'lib',
      'trace',
      'type mail port',
      'oidc port',
      'payment port',
      'webhook sender',
      'rule',
      'shared shapes',
      'own store',
      'own schema',
      'type http',
    ],
    packages: ['lru-cache', ...node('crypto net perf_hooks timers/promises tls zlib')],
    because: 'Rules call each other, never into the store of another slice, and know no HTTP.',
  },
  {
    name: 'doctor',
    files: /^src\/commands\/doctor\/probes\//,
    may: ['doctor', 'access', 'type broker kind', 'lib'],
    packages: ['mqtt', 'node:crypto', 'node:net', 'node:timers/promises', 'node:tls'],
    because: 'It tests a broker from outside, like any client.',
  },
  {
    name: 'operations',
    files: /^src\/operations\.ts$/,
    may: ['routes', 'type context', 'type http', 'type rule'],
    because: 'It is nothing but the list.',
  },
  {
    name: 'config',
    files: /^src\/platform\/config\//,
    may: ['config', 'lib'],
    packages: ['node:fs', 'node:net', 'node:os'],
    because: 'Configuration is read once, before anything else exists.',
  },
  {
    name: 'log',
    files: /^src\/platform\/log\.ts$/,
    may: ['type config', 'lib'],
    because: 'Callers get a function to log with; it must not import the service.',
  },
]

/** Files that may import everything further in, but not each other's callers. */
export const outside: readonly { name: string; files: RegExp; mayNot: readonly string[] }[] = [
  { name: 'app', files: /^src\/app\//, mayNot: ['commands', 'main'] },
  { name: 'commands', files: /^src\/commands\//, mayNot: ['main'] },
  { name: 'main', files: /^src\/main\.ts$/, mayNot: [] },
]
