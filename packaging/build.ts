/**
 * Makes the npm packages of the service, the SDK and the command line for users: each in a folder
 * of its own in `dist`, and packed next to it. Their manifests differ from those of this
 * repository: no packages for development, no workspaces, no scripts. `npm run package` runs it.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleService } from './bundle.ts'
import { bundledPackages, copyConsole } from './console.ts'
import { licensesOf, licensesPage } from './licenses.ts'
import { type Lock, lockOf, type Manifest, shrinkwrapOf } from './lock.ts'

const root = dirname(import.meta.dirname)
const dist = join(root, 'dist')
const folder = join(dist, 'mooring')

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'))
const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
const npm = (cwd: string, ...args: string[]): string =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })

/** Files that are copied as they are. */
const COPIED = ['LICENSE', 'CHANGELOG.md', 'openapi.json', 'migrations']

/** The manifest as it is delivered. */
function manifestOf(manifest: Manifest) {
  const { name, version, description, license, dependencies, optionalDependencies } = manifest
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { mooring: 'bin/mooring' },
    engines: { node: '>=20' },
    os: ['darwin', 'linux'],
    dependencies,
    optionalDependencies,
  }
}

/** Not on standard output, which names the files. */
const say = (line: string): void => console.error(line)

/** Node strips no types below node_modules, where packages are installed. */
const compile = (...args: string[]): unknown =>
  execFileSync(join(root, 'node_modules/.bin/tsc'), args, { stdio: 'inherit' })

function emptyFolder(path: string): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
}

/** @returns the path of the tarball */
function pack(from: string): string {
  const name = npm(from, 'pack', '--silent', '--pack-destination', dist).trim()
  return join(dist, name.split('\n').at(-1) ?? '')
}

/** The bill of materials, from the lock file in the folder. */
function writeSbom(of: string, type: 'application' | 'library'): void {
  const options = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', type]
  writeFileSync(join(of, 'sbom.cdx.json'), npm(of, 'sbom', ...options))
}

const lock = readJson('package-lock.json') as Lock

async function buildService(): Promise<string> {
  say('The service: bundling')
  emptyFolder(join(folder, 'bin'))
  const manifest = manifestOf(readJson('package.json') as Manifest)
  write('package.json', toJson(manifest))
  write('npm-shrinkwrap.json', toJson(shrinkwrapOf(lock, manifest)))
  await bundleService(join(folder, 'src'))
  cpSync(join(import.meta.dirname, 'mooring'), join(folder, 'bin/mooring'))
  cpSync(join(import.meta.dirname, 'package-readme.md'), join(folder, 'README.md'))
  say('The service: building the console')
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true })
  copyConsole(root, join(folder, 'console/dist'))
  say('The service: listing packages and licences, packing')
  write('LICENSES.md', licensesPage(licensesOf(lock), bundledPackages(root)))
  writeSbom(folder, 'application')
  return pack(folder)
}

interface ClientManifest extends Record<string, unknown> {
  name: string
  version: string
  dependencies?: Record<string, string>
}

/** A workspace as a package: its manifest without what only this repository needs. */
function stage(workspace: 'sdk' | 'cli', more: object): string {
  const to = join(dist, `mooring-${workspace}`)
  emptyFolder(to)
  const source = readJson(`${workspace}/package.json`) as ClientManifest
  const { private: _private, scripts: _scripts, files: _files, ...kept } = source
  const manifest = { ...kept, ...more }
  writeFileSync(join(to, 'package.json'), toJson(manifest))
  // npm packs no such file: users of a library choose the versions.
  writeFileSync(join(to, 'package-lock.json'), toJson(lockOf(lock, manifest)))
  writeSbom(to, workspace === 'sdk' ? 'library' : 'application')
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'))
  const page = readFileSync(join(root, workspace, 'README.md'), 'utf8')
  // Links into the repository lead nowhere from here.
  const portable = page.replaceAll(/\[([^\]]+)\]\(\.\.\/([^)#]*)[^)]*\)/g, '$1 (`$2`)')
  const note = '\nPaths such as `docs/errors.md` are of the repository of the service.\n'
  writeFileSync(join(to, 'README.md'), portable + note)
  return to
}

function buildSdk(): string {
  say('The SDK')
  const { exports } = readJson('sdk/package.json') as { exports: Record<string, unknown> }
  // Programs of this repository import the sources.
  const built = Object.entries(exports).filter(([name]) => !name.endsWith('.ts'))
  const to = stage('sdk', { exports: Object.fromEntries(built) })
  compile('-p', join(root, 'sdk'), '--outDir', join(to, 'dist'))
  return pack(to)
}

/** It contains the SDK, in the same layout as here. */
function buildCli(): string {
  say('The command line')
  const to = stage('cli', { bin: { mooring: 'cli/main.js' } })
  compile('-p', import.meta.dirname)
  cpSync(join(root, 'cli/package.json'), join(to, 'cli/package.json'))
  return pack(to)
}

// The last line is the service, for programs that start this one.
console.log([buildSdk(), buildCli(), await buildService()].join('\n'))
