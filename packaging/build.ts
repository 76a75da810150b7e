/**
 * Makes the npm package of the service: dist/mooring, and of that dist/mooring-<version>.tgz. In a
 * folder of its own, since its manifest differs from the one of this repository: no packages for
 * development, no workspaces, no scripts. `npm run package` runs it.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundledPackages, copyConsole } from './console.ts'
import { licensesOf, licensesPage } from './licenses.ts'
import { type Lock, type Manifest, shrinkwrapOf } from './lock.ts'

const root = dirname(import.meta.dirname)
const folder = join(root, 'dist/mooring')

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'))
const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
const npm = (...args: string[]): string =>
  execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })

/** What is copied as it is. */
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

/** Node strips no types below node_modules, where the package is installed. */
function compile(): void {
  const options = { stdio: 'inherit' } as const
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', import.meta.dirname], options)
  // It has types only.
  rmSync(join(folder, 'statements.js'))
}

/** @returns the path of the tarball */
function buildPackage(): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const lock = readJson('package-lock.json') as Lock
  const manifest = manifestOf(readJson('package.json') as Manifest)
  write('package.json', toJson(manifest))
  write('npm-shrinkwrap.json', toJson(shrinkwrapOf(lock, manifest)))
  compile()
  cpSync(join(import.meta.dirname, 'mooring'), join(folder, 'bin/mooring'))
  cpSync(join(import.meta.dirname, 'package-readme.md'), join(folder, 'README.md'))
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true })
  copyConsole(root, join(folder, 'console/dist'))
  write('LICENSES.md', licensesPage(licensesOf(lock), bundledPackages(root)))
  write(
    'sbom.cdx.json',
    npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'),
  )
  npm('pack', '--silent', '--pack-destination', dirname(folder))
  return join(dirname(folder), `${manifest.name}-${manifest.version}.tgz`)
}

console.log(buildPackage())
