/** Invalid settings are reported in one line, before anything is started. */
import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { requireUsable } from '../../src/commands/serve/preflight.ts'
import { clientVariables, ConfigError, readConfig } from '../../src/platform/config/config.ts'
import { ROOT } from '../support/sources.ts'
import { bare, newDataDir, runMooring } from '../support/service.ts'

/** The setting that is wrong, and a word of the line that says so. */
const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
  [{ MOORING_HTTP_PORT: 'http' }, /MOORING_HTTP_PORT must be a whole number/],
  [{ MOORING_HTTP_PORT: '70000' }, /MOORING_HTTP_PORT must be .* to 65535/],
  [{ MOORING_MQTT_PORT: '-1' }, /MOORING_MQTT_PORT/],
  [{ MOORING_OPERATOR_PORT: '1e3' }, /MOORING_OPERATOR_PORT/],
  [{ MOORING_HTTP_PORT: '1883' }, /MOORING_HTTP_PORT and MOORING_MQTT_PORT are both 1883/],
  [{ MOORING_HTPP_PORT: '8080' }, /MOORING_HTPP_PORT: unknown/],
  [{ MOORING_RATE_LIMITS: 'maybe' }, /MOORING_RATE_LIMITS must be one of on, off/],
  [{ MOORING_LOG_LEVEL: 'verbose' }, /MOORING_LOG_LEVEL must be one of/],
  [{ MOORING_DATABASE_POOL_SIZE: '0' }, /MOORING_DATABASE_POOL_SIZE/],
  [{ MOORING_MASTER_KEY: 'c2hvcnQ=' }, /MOORING_MASTER_KEY must hold 32 bytes/],
  [{ MOORING_MASTER_KEY: '!'.repeat(44) }, /MOORING_MASTER_KEY must hold 32 bytes/],
  [{ MOORING_ORIGIN: 'api.example.com' }, /MOORING_ORIGIN must be/],
  [{ MOORING_ORIGIN: 'https://example.com/api' }, /MOORING_ORIGIN must be/],
  [{ MOORING_TLS_CERT_FILE: '/nonexistent.pem' }, /MOORING_TLS_KEY_FILE go together/],
  [
    { MOORING_TLS_CERT_FILE: '/nonexistent.pem', MOORING_TLS_KEY_FILE: '/nonexistent.pem' },
    /MOORING_TLS_CERT_FILE names a file that cannot be read: there is no \/nonexistent\.pem$/m,
  ],
  [{ MOORING_BROKERS_FILE: '/nonexistent.json' }, /MOORING_BROKERS_FILE names a file that cannot/],
  [{ MOORING_PLANS_FILE: '/nonexistent.json' }, /MOORING_PLANS_FILE names a file that cannot/],
  [{ MOORING_PLANS_FILE: '/etc' }, /MOORING_PLANS_FILE names a file .*: \/etc is a folder$/m],
  [{ MOORING_STRIPE_SECRET_KEY: 'sk_x' }, /MOORING_STRIPE_WEBHOOK_SECRET go together/],
  [{ MOORING_STRIPE_API_BASE: 'http://example.com' }, /MOORING_STRIPE_API_BASE must be https/],
  [{ MOORING_ACME_DIRECTORY_URL: 'http://a.example' }, /ACME_DIRECTORY_URL must begin with https/],
  [
    { MOORING_ACME_DIRECTORY_URL: 'https://a.example', MOORING_ACME_CA_FILE: '/nonexistent.pem' },
    /MOORING_ACME_CA_FILE names a file that cannot be read/,
  ],
  [{ MOORING_EMBEDDED_BROKER: 'no' }, /MOORING_EMBEDDED_BROKER must be one of on, off/],
  [{ MOORING_TRUSTED_PROXIES: 'everybody' }, /MOORING_TRUSTED_PROXIES must hold IP addresses/],
  [{ MOORING_BOOTSTRAP_EMAIL: 'owner' }, /MOORING_BOOTSTRAP_EMAIL must be/],
  [{ MOORING_BOOTSTRAP_PASSWORD: 'password' }, /MOORING_BOOTSTRAP_PASSWORD is too common: /],
  [{ MOORING_BOOTSTRAP_WORKSPACE: 'My Workspace' }, /MOORING_BOOTSTRAP_WORKSPACE must have/],
  [{ DATABASE_URL: 'mysql://localhost/mooring' }, /DATABASE_URL must begin with postgres/],
  [{ DATABASE_URL: 'postgres://localhost/m?sslmod=require' }, /unknown option sslmod/],
  [{ DATABASE_URL: 'postgres://localhost/m?sslmode=always' }, /sslmode that is not one of/],
  [
    { MOORING_DATA_DIR: '/dev/null/data' },
    /DATA_DIR names a folder .*: a component of .* is not a folder$/m,
  ],
  // Node's recursive mkdir would never return.
  ...(process.platform === 'linux'
    ? ([
        [{ MOORING_DATA_DIR: '/proc/a/b' }, /cannot be created: \/proc does not allow folders$/m],
      ] as const)
    : []),
  [{ MOORING_DATA_DIR: '/dev/null' }, /MOORING_DATA_DIR names a file instead of a folder$/m],
]

/** The first check of `mooring serve`; a refused configuration ends in the same way for all. */
function assertRefused(environment: Record<string, string>, words: RegExp): void {
  assert.throws(
    () => requireUsable(readConfig(environment)),
    (error) => {
      assert.ok(error instanceof ConfigError, String(error))
      assert.match(error.message, words)
      assert.doesNotMatch(error.message, /\n/)
      return true
    },
  )
}

/** One setting of each place that reads settings is tried in a process; the folder is read last. */
const IN_A_PROCESS = ['MOORING_HTTP_PORT', 'MOORING_PLANS_FILE', 'DATABASE_URL', 'MOORING_DATA_DIR']

describe('a wrong setting', { concurrency: 2 }, () => {
  for (const [wrongOne, words] of wrong) {
    const [name = '', value] = Object.entries(wrongOne).at(-1) ?? []
    test(`${name}=${value} is refused`, async (t) => {
      const dataDir = await newDataDir(t)
      const environment = { MOORING_DATA_DIR: dataDir, ...wrongOne }
      if (IN_A_PROCESS.includes(name)) {
        const { code, stdout, stderr } = await runMooring(t, ['serve'], { environment })
        assert.equal(code, 2, stderr)
        assert.equal(stdout, '')
        assert.match(stderr, /^mooring: [^\n]+\n$/)
        assert.match(stderr, words)
      } else assertRefused(environment, words)
      assert.ok(!existsSync(dataDir), 'nothing was started')
    })
  }
})

test('a certificate that is none is refused before the start', async (t) => {
  const dataDir = await newDataDir(t)
  const file = join(dirname(dataDir), 'garbage.pem')
  await writeFile(file, 'not a certificate')
  const { code, stderr } = await runMooring(t, ['serve'], {
    environment: {
      MOORING_DATA_DIR: dataDir,
      MOORING_TLS_CERT_FILE: file,
      MOORING_TLS_KEY_FILE: file,
    },
  })
  assert.equal(code, 2)
  assert.match(
    stderr,
    /^mooring: MOORING_TLS_CERT_FILE and MOORING_TLS_KEY_FILE do not contain[^\n]+\n$/,
  )
})

test('`mooring config` lists all settings, wrong ones too, and no secret', async (t) => {
  const secret = 'a-password-to-look-for'
  const { code, stdout, stderr } = await runMooring(t, ['config'], {
    environment: bare({
      MOORING_HTTP_PORT: 'http',
      MOORING_HTPP_PORT: '8080',
      MOORING_BOOTSTRAP_PASSWORD: secret,
      DATABASE_URL: `postgres://mooring:${secret}@localhost/mooring`,
    }),
  })
  assert.equal(code, 2)
  assert.match(stdout, /^MOORING_HTTP_PORT=http$/m)
  assert.match(stdout, /^MOORING_MQTT_PORT \(default: 1883\)$/m)
  assert.match(stdout, /^DATABASE_URL=\(set, not shown\)$/m)
  assert.ok(!stdout.includes(secret))
  assert.match(stderr, /MOORING_HTTP_PORT must be/)
  assert.match(stderr, /MOORING_HTPP_PORT: unknown/)
})

test('variables of the client command line do not concern the service', async () => {
  const files = globSync('cli/**/*.ts', { cwd: ROOT })
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')))
  const named = texts.join('\n').match(/(?<=(?:env\['|\{ ))MOORING_[A-Z_]+/g)
  assert.deepEqual([...new Set(named)].sort(), clientVariables)
  const environment = Object.fromEntries(clientVariables.map((name) => [name, 'x']))
  assert.ok(readConfig(environment))
})
