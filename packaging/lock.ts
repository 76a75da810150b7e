/** The part of the lock file that users of the package install. */

/** An entry of package-lock.json, version 3. */
export interface LockedPackage {
  version: string
  integrity?: string
  license?: string
  link?: boolean
  dev?: boolean
  dependencies?: Record<string, string>
}

export interface Lock {
  name: string
  version: string
  lockfileVersion: number
  packages: Record<string, LockedPackage>
}

/** The members of package.json that the package needs. */
export interface Manifest {
  name: string
  version: string
  description: string
  license: string
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

/** Whether an entry is installed with the service: no package for development, no workspace. */
const isInstalled = ([path, { dev, link }]: [string, LockedPackage]): boolean =>
  path.startsWith('node_modules/') && dev !== true && link !== true

export const installedPackages = (lock: Lock): [string, LockedPackage][] =>
  Object.entries(lock.packages).filter(isInstalled)

/** The name of the package at a path of the lock file. */
export const packageAt = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 13)

/**
 * The lock of a package whose dependencies, if any, have none themselves.
 * @throws Error if one of them has
 */
export function lockOf(
  { lockfileVersion, packages: all }: Lock,
  manifest: { name: string; version: string; dependencies?: Record<string, string> },
): Lock {
  const { name, version, dependencies = {} } = manifest
  const packages = Object.keys(dependencies).map((each) => {
    const path = `node_modules/${each}`
    const entry = all[path]
    if (entry === undefined || entry.dependencies !== undefined) {
      throw new Error(`the lock file has no ${each} without dependencies of its own`)
    }
    return [path, entry] as const
  })
  return {
    name,
    version,
    lockfileVersion,
    packages: { '': manifest, ...Object.fromEntries(packages) },
  }
}

/**
 * The npm-shrinkwrap.json of the package. npm installs exactly its versions, checked by its hashes;
 * of other dependencies it would choose the newest that their ranges allow.
 */
export function shrinkwrapOf(lock: Lock, manifest: object & Pick<Manifest, 'version'>): Lock {
  const { name, version, lockfileVersion } = lock
  const packages = Object.fromEntries(installedPackages(lock))
  return { name, version, lockfileVersion, packages: { '': manifest, ...packages } }
}
