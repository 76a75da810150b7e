/**
 * The layers of the house as data: which files make up each of them, what they may import, and why.
 * `test/laws/imports.test.ts` holds the source tree to it.
 */

export interface Layer {
  name: string
  /** Matches the paths of its files; the first layer that matches has the file. */
  files: RegExp
  /**
   * Names of layers that its files may import. `type` before a name: types only. `own` before a
   * name: of the same folder only; `other`: of another one only.
   */
  may: readonly string[]
  /** The packages, as the same kind of list. */
  packages: readonly string[]
  because: string
}

const inFeature = (file: string): RegExp => new RegExp(`^src/features/[^/]+/${file}$`)

export const layers: readonly Layer[] = [
  {
    name: 'lib',
    files: /^src\/lib\//,
    may: ['lib'],
    packages: ['node:crypto', 'node:zlib'],
    because: 'Pure helpers know nobody, so that everything can lean on them.',
  },
  {
    name: 'errors',
    files: /^src\/errors(?:\.ts$|\/)/,
    may: ['errors'],
    packages: [],
    because: 'The failure catalogue is one page that everybody reads.',
  },
  {
    name: 'access',
    files: /^src\/access\//,
    may: ['access', 'errors', 'lib'],
    packages: ['node:crypto', 'node:os', '@node-rs/argon2', 'lru-cache', 'otplib'],
    because: 'Cryptography of credentials is tested without a database and without HTTP.',
  },
  {
    name: 'broker port',
    files: /^src\/broker\/port\.ts$/,
    may: [],
    packages: [],
    because: 'What we ask of a broker must not depend on any broker.',
  },
  {
    name: 'broker entry',
    files: /^src\/broker\/broker-entry\.ts$/,
    may: [],
    packages: ['typebox'],
    because: 'Which brokers there are is told by a file, and each adapter reads its own entry.',
  },
  {
    name: 'broker topics',
    files: /^src\/broker\/topics\.ts$/,
    may: ['broker port', 'lib'],
    packages: [],
    because: 'The rules of topics are the same for every broker.',
  },
  {
    name: 'broker admin',
    files: /^src\/broker\/admin\//,
    may: ['broker admin', 'broker port', 'lib'],
    packages: ['node:http', 'node:https', 'node:timers/promises'],
    because: 'How a foreign broker is called, and fails, is the same for each that has an API.',
  },
  {
    name: 'broker adapter',
    files: /^src\/broker\/[^/]+\//,
    may: [
      'own broker adapter',
      'broker admin',
      'type broker entry',
      'broker port',
      'broker topics',
      'lib',
    ],
    packages: [
      'aedes',
      'type fastify',
      'mqtt',
      'node:fs',
      'node:http',
      'node:https',
      'ws',
      'node:crypto',
      'node:events',
      'node:net',
      'node:stream',
      'node:timers/promises',
      'node:tls',
    ],
    because: 'An adapter knows only its port: one can be replaced without touching the rest.',
  },
  {
    name: 'database',
    files: /^src\/database\//,
    may: ['database', 'errors', 'lib'],
    packages: [
      'lru-cache',
      'node:child_process',
      'node:crypto',
      'node:fs',
      'node:fs/promises',
      'node:os',
      'node:path',
      'node:perf_hooks',
      'node:sqlite',
      'node:timers/promises',
      'node:url',
      'node:util',
      'pg',
    ],
    because: 'How rows are reached says nothing of what they mean.',
  },
  {
    name: 'http',
    files: /^src\/http\//,
    may: ['http', 'access', 'errors', 'lib'],
    packages: [
      '@scalar/fastify-api-reference',
      'ajv',
      'ajv-formats',
      'csv-parse',
      'fast-json-stringify',
      'fastify',
      'node:crypto',
      'prom-client',
      'type node:http',
      'node:net',
      'node:stream',
      'type rate-limiter-flexible',
      'typebox',
    ],
    because: 'Transport knows no feature: it takes them as a list of operations.',
  },
  {
    name: 'events',
    files: /^src\/events\//,
    may: ['events', 'database', 'lib'],
    packages: [],
    because: 'An event is data that commits with its change, whoever makes it.',
  },
  {
    name: 'mail port',
    files: /^src\/mail\/port\.ts$/,
    may: [],
    packages: [],
    because: 'Who has something to say must not care how it is carried.',
  },
  {
    name: 'mail adapter',
    files: /^src\/mail\//,
    may: ['mail port', 'lib'],
    packages: ['nodemailer'],
    because: 'It carries mail, whatever is in it.',
  },
  {
    name: 'webhooks',
    files: /^src\/webhooks\//,
    may: ['webhooks', 'lib'],
    packages: [
      'node:crypto',
      'node:dns/promises',
      'node:http',
      'node:https',
      'node:net',
      'node:perf_hooks',
    ],
    because: 'How something is sent to a stranger safely does not depend on what it is.',
  },
  {
    name: 'jobs',
    files: /^src\/jobs\//,
    may: ['jobs', 'events', 'database', 'lib'],
    packages: ['graphile-worker', 'node:events', 'node:timers/promises', 'pg'],
    because: 'Who runs things later need not know what they are.',
  },
  {
    name: 'context',
    files: /^src\/context\.ts$/,
    may: [
      'type access',
      'type broker entry',
      'type broker port',
      'type database',
      'type events',
      'http',
      'lib',
    ],
    packages: [],
    because: 'It names the services that features get; making them is the work of app.ts.',
  },
  {
    name: 'shared shapes',
    files: /^src\/features\/[^/]+\.ts$/,
    may: ['shared shapes', 'errors', 'lib'],
    packages: ['node:crypto', 'typebox'],
    because: 'Shapes that several slices share belong to none of them.',
  },
  {
    name: 'store',
    files: inFeature('(?:[a-z-]+-)?store\\.ts'),
    may: [
      'own store',
      'database',
      'lib',
      'type access',
      'type broker port',
      'type events',
      'type rule',
      'type own schema',
    ],
    packages: [],
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
    packages: [],
    because: 'What a text may look like is told to schemas and rules alike.',
  },
  {
    name: 'plugin',
    files: inFeature('jwks\\.ts'),
    may: ['access', 'http', 'own rule', 'shared shapes'],
    packages: ['fastify', 'typebox'],
    because: 'Routes that are no operations are few, and each one is listed here.',
  },
  {
    name: 'http port',
    files: /^src\/features\/idempotency\/stored-answer\.ts$/,
    may: ['http', 'access', 'database', 'errors', 'lib', 'own store'],
    packages: ['node:crypto'],
    because: 'HTTP asks for answers to be kept; whoever keeps them has to know what it asks.',
  },
  {
    name: 'rule',
    files: inFeature('[a-z-]+\\.ts'),
    may: [
      'access',
      'type broker entry',
      'broker port',
      'broker topics',
      'context',
      'database',
      'errors',
      'events',
      'grammar',
      'jobs',
      'lib',
      'type mail port',
      'rule',
      'shared shapes',
      'own store',
      'own schema',
      'type http',
    ],
    packages: [
      'lru-cache',
      'node:crypto',
      'node:net',
      'node:perf_hooks',
      'node:timers/promises',
      'node:zlib',
    ],
    because: 'Rules call each other, never into the store of another slice, and know no HTTP.',
  },
  {
    name: 'doctor',
    files: /^src\/doctor\//,
    may: ['doctor', 'access', 'type broker entry', 'lib'],
    packages: ['mqtt', 'node:crypto', 'node:net', 'node:timers/promises', 'node:tls'],
    because: 'It looks at a broker from outside, as a stranger does.',
  },
  {
    name: 'operations',
    files: /^src\/operations\.ts$/,
    may: ['routes', 'type context', 'type http', 'type rule'],
    packages: [],
    because: 'It is nothing but the list.',
  },
  {
    name: 'config',
    files: /^src\/config(?:-variables|-kinds|-mqtt-limits)?\.ts$/,
    may: ['config', 'lib'],
    packages: ['node:fs', 'node:net'],
    because: 'Configuration is read once, before anything else exists.',
  },
  {
    name: 'log',
    files: /^src\/log\.ts$/,
    may: ['type config', 'lib'],
    packages: [],
    because: 'Whoever logs is handed a function; it must not bring the service with it.',
  },
]

/** Files that may import everything further in, but not each other's callers. */
export const outside: readonly { name: string; files: RegExp; mayNot: readonly string[] }[] = [
  { name: 'app', files: /^src\/app(?:\.ts$|\/)/, mayNot: ['commands', 'main'] },
  { name: 'commands', files: /^src\/commands\//, mayNot: ['main'] },
  { name: 'main', files: /^src\/main\.ts$/, mayNot: [] },
]
