/**
 * Builds the console into console/dist, unless that is up to date. `npm ci` runs it, and so does
 * `mooring serve` in a checkout. Each file that compresses well gets a `.br` next to it.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

const folder = dirname(fileURLToPath(import.meta.url))
const dist = join(folder, 'dist')
const STAMP = '.inputs'
const INPUTS = ['console/src/**/*', 'console/*.{html,json,ts}', 'sdk/*.ts', 'package-lock.json']
const COMPRESSIBLE = /\.(js|css|html|svg|json)$/

/** A hash of all files that the build reads. */
function hashOfInputs(): string {
  const cwd = dirname(folder)
  const hash = createHash('sha256')
  const files = globSync(INPUTS, { cwd, withFileTypes: true }).filter((each) => each.isFile())
  for (const path of files.map((each) => join(each.parentPath, each.name)).sort()) {
    hash.update(path.slice(cwd.length)).update('\0').update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex')
}

/** The command of Vite; undefined where only what the service needs is installed. */
function findVite(): string | undefined {
  try {
    const require = createRequire(join(folder, 'package.json'))
    return join(dirname(require.resolve('vite/package.json')), 'bin', 'vite.js')
  } catch {
    return undefined
  }
}

function compress(built: string): void {
  for (const each of globSync('**/*', { cwd: built, withFileTypes: true })) {
    if (!each.isFile() || !COMPRESSIBLE.test(each.name)) continue
    const path = join(each.parentPath, each.name)
    const bytes = readFileSync(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
  }
}

const isCurrent = (hash: string): boolean => {
  const stamp = join(dist, STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
}

/** Puts what was built in place, unless another process has done the same meanwhile. */
function publish(built: string, hash: string): void {
  const old = `${built}-old`
  try {
    if (isCurrent(hash)) return
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(built, dist)
  } catch (error) {
    if (!isCurrent(hash)) throw error
  } finally {
    for (const each of [built, old]) rmSync(each, { recursive: true, force: true })
  }
}

/** @throws Error with the output of Vite if it fails; the folder is removed then */
function runVite(vite: string, built: string, ...more: readonly string[]): void {
  const options = { cwd: folder, encoding: 'utf8' } as const
  const args = [vite, 'build', '--logLevel', 'error', '--outDir', built, '--emptyOutDir', ...more]
  const run = spawnSync(process.execPath, args, options)
  if (run.status === 0) return
  rmSync(built, { recursive: true, force: true })
  throw new Error(`The console could not be built:\n${run.stderr}${run.stdout}`)
}

/** Builds the console with the samples of its components, for tests that look at these. */
export function buildSamples(into: string): void {
  const vite = findVite()
  if (vite === undefined) throw new Error('Vite is not installed')
  runVite(vite, into, '--mode', 'samples')
}

/**
 * @returns `built`, `current` if nothing had changed, or `unavailable` without Vite
 * @throws Error with the output of the build if it fails
 */
export function buildConsole(): 'built' | 'current' | 'unavailable' {
  const hash = hashOfInputs()
  if (isCurrent(hash)) return 'current'
  const vite = findVite()
  if (vite === undefined) return 'unavailable'
  // Several processes may build at the same time, each in a folder of its own.
  const built = `${dist}-${process.pid}`
  runVite(vite, built)
  compress(built)
  writeFileSync(join(built, STAMP), hash)
  publish(built, hash)
  return 'built'
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) buildConsole()
