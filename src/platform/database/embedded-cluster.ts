/** The database folder on disk: created completely or not at all. */
import { chmod, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { postgresMajor } from './embedded-binaries.ts'
import { folderArgument, handOver, type Identity } from './embedded-identity.ts'
import { startSupervised } from './supervised-process.ts'

const unfinishedPrefix = 'postgres.new-'

/** The role that owns the cluster; the service connects as a role without its rights. */
export const superuser = 'postgres'

/** Whether the folder contains a cluster. Throws if it contains anything else. */
export async function hasCluster(folder: string): Promise<boolean> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (entries.length === 0) return false
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (version === postgresMajor) return true
  throw new Error(
    version
      ? `The database in ${folder} was created by Postgres ${version}; this build brings ` +
          `${postgresMajor}. Dump it with the old version and restore it into an empty folder.`
      : `${folder} is not a Postgres data folder, and it is not empty. Move it away.`,
  )
}

/**
 * Creates a cluster in a temporary folder that is renamed when complete, so that an interrupted
 * creation is never mistaken for a database; the next start deletes it.
 * @param meanwhile work of this process while initdb runs
 */
export async function createCluster(
  folder: string,
  identity: Identity,
  output: number,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const dataDir = dirname(folder)
  await removeUnfinished(dataDir)
  const unfinished = await mkdtemp(join(dataDir, unfinishedPrefix))
  await chmod(unfinished, 0o700)
  await handOver(unfinished, identity)
  const options = [
    `--username=${superuser}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // Access to the socket is controlled by the folder's mode, 0700.
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
  ]
  const initdb = startSupervised({
    command: [
      ...identity.prefix,
      join(identity.binaries.root, 'bin', 'initdb'),
      `--pgdata=${folderArgument(identity, unfinished)}`,
      ...options,
    ],
    folder: unfinished,
    output,
    identity: identity.ids,
  })
  const [{ code }] = await Promise.all([initdb.exited, meanwhile()])
  if (code !== 0) throw new Error(`initdb ended with status ${code}`)
  await rename(unfinished, folder)
  await syncFolder(dataDir)
}

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(unfinishedPrefix)) continue
    // A stopping initdb may still write; leftovers are removed by a later start.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
