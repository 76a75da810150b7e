/**
 * Chooses the user that Postgres runs as. It refuses to run as root, and a service is often started
 * as root in a folder that only root can enter. In order of preference:
 *
 * - A plain user runs Postgres as itself. One without a name, as containers assign them, uses a
 *   user namespace like root, because initdb needs a user name.
 * - Root runs it in a user namespace, where root's files appear to belong to uid 65534 and stay
 *   accessible, and where it has none of root's rights.
 * - Where user namespaces are forbidden, as in many containers, root gives the database folder to
 *   uid 65534, or runs as the folder's owner if that is another user already.
 *
 * Root refers to the folder as /proc/self/cwd: the kernel resolves it directly, so parent folders
 * (such as a home with mode 0700) need not be accessible.
 */
import { execFile } from 'node:child_process'
import { chown, readdir, stat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Binaries, copyBinaries, findBinaries, linkLibraries } from './embedded-binaries.ts'
import { messageOf } from '../lib/system-errors.ts'
import { postgresEnvironment } from './supervised-process.ts'

const run = promisify(execFile)
const nobody = 65534
type RunAs = {
  kind: 'plain-user' | 'namespace' | 'other-user'
  /** Precedes a program's path. */
  prefix: string[]
  /** For spawn: empty unless root runs as another user. */
  ids: { uid?: number; gid?: number }
}

export type Identity = RunAs & { binaries: Binaries }

const AS_PLAIN: RunAs = { kind: 'plain-user', prefix: [], ids: {} }
const AS_NAMESPACE: RunAs = {
  kind: 'namespace',
  prefix: ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'],
  ids: {},
}

/** How to name the database folder to Postgres when it is started inside it. */
export const folderArgument = (identity: Identity, folder: string): string =>
  identity.kind === 'plain-user' ? folder : '/proc/self/cwd'

/**
 * Chooses an identity that works here, tested by running both programs. `force` skips the preferred
 * choices, for tests.
 */
export async function chooseIdentity(options: {
  dataDir: string
  folder: string
  force?: 'other-user' | undefined
}): Promise<Identity> {
  const binaries = await findBinaries()
  const owner = (await ownerOf(options.folder)) ?? (await namedOwnerOf(options.dataDir))
  if (process.geteuid?.() !== 0) return plainUser(binaries, options)
  if (process.platform !== 'linux') throw new Error(rootMessage('this system is not Linux'))
  const reasons: string[] = []
  if (!options.force && (owner?.uid ?? 0) === 0) {
    const refusal = await failure([...AS_NAMESPACE.prefix, 'true'], {})
    if (!refusal) {
      return { ...AS_NAMESPACE, binaries: await usableBinaries(binaries, AS_NAMESPACE) }
    }
    reasons.push(`no user namespace can be created (${refusal})`)
  }
  const ids = owner && owner.uid !== 0 ? owner : { uid: nobody, gid: nobody }
  const runAs: RunAs = { kind: 'other-user', prefix: [], ids }
  const refusal = await failure(['true'], ids)
  if (refusal) {
    reasons.push(`uid ${ids.uid} cannot be used (${refusal})`)
    throw new Error(rootMessage(reasons.join(', and ')))
  }
  return { ...runAs, binaries: await usableBinaries(binaries, runAs) }
}

/** Gives everything in the folder to the identity, the folder itself last. */
export async function handOver(folder: string, identity: Identity): Promise<void> {
  const { uid, gid } = identity.ids
  if (uid === undefined || gid === undefined) return
  if ((await ownerOf(folder))?.uid === uid) return
  const entries = (await readdir(folder)).map((name) => join(folder, name))
  if (entries.length > 0) await run('chown', ['-R', `${uid}:${gid}`, '--', ...entries])
  await chown(folder, uid, gid)
}

async function plainUser(
  binaries: Binaries,
  options: { dataDir: string; folder: string },
): Promise<Identity> {
  const self = process.geteuid?.()
  const owner = (await ownerOf(options.folder))?.uid
  if (owner !== undefined && owner !== self) {
    throw new Error(
      `The database folder ${options.folder} belongs to uid ${owner}, and this process runs as ` +
        `uid ${self}. Run the service as that user, or give the folder to this one with chown -R.`,
    )
  }
  const runAs: RunAs = hasName() ? AS_PLAIN : AS_NAMESPACE
  const refusal = await failure([...runAs.prefix, 'true'], {})
  if (refusal) {
    throw new Error(
      `The uid ${self} has no name in /etc/passwd, as Postgres wants, and no user namespace can be ` +
        `made for it (${refusal}). Run the service as a user that has a name, or set DATABASE_URL ` +
        'to a Postgres server.',
    )
  }
  return { ...runAs, binaries: await usableBinaries(binaries, runAs, [options.dataDir]) }
}

/** Root's cache is outside the data folder, which other users may not be able to access. */
const rootCaches = ['/var/cache/mooring', join(tmpdir(), 'mooring-cache')]

async function usableBinaries(
  installed: Binaries,
  runAs: RunAs,
  cacheRoots = rootCaches,
): Promise<Binaries> {
  await linkLibraries(installed)
  const reason = await programFailure(installed, runAs)
  if (!reason) return installed
  const copy = await copyBinaries(installed, cacheRoots)
  const stillFailing = await programFailure(copy, runAs)
  if (!stillFailing) return copy
  throw new Error(
    `The embedded Postgres does not run on this machine: ${stillFailing}. ${libcHint()}` +
      'Set DATABASE_URL to a Postgres server (15 or newer) instead.',
  )
}

async function programFailure(binaries: Binaries, runAs: RunAs): Promise<string | undefined> {
  for (const program of ['initdb', 'postgres']) {
    const path = join(binaries.root, 'bin', program)
    const reason = await failure([...runAs.prefix, path, '--version'], runAs.ids)
    if (reason) return reason
  }
  return undefined
}

function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

async function failure(command: string[], ids: RunAs['ids']): Promise<string | undefined> {
  const [program = '', ...rest] = command
  try {
    await run(program, rest, { cwd: '/', env: postgresEnvironment, timeout: 30_000, ...ids })
    return undefined
  } catch (error) {
    const printed = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    return printed || messageOf(error)
  }
}

async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  return stat(folder).then(
    ({ uid, gid }) => ({ uid, gid }),
    () => undefined,
  )
}

/**
 * A new database in another user's folder is given to that user, so that running with sudo once
 * does not lock them out. Only initdb requires a user name.
 */
async function namedOwnerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  const owner = await ownerOf(folder)
  if (!owner || owner.uid === 0) return owner
  return (await failure(['id', String(owner.uid)], {})) ? undefined : owner
}

function libcHint(): string {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return process.platform === 'linux' && !report.header?.glibcVersionRuntime
    ? 'It needs glibc, which this Linux does not have. '
    : ''
}

function rootMessage(reasons: string): string {
  return (
    `Postgres refuses to run as root, and here ${reasons}. Run the service as a plain user ` +
    '(in a container: --user 1000:1000), or set DATABASE_URL to a Postgres server.'
  )
}
