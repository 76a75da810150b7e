/** The project that this code belongs to: a checkout of the repository, or the npm package. */
import { existsSync, readFileSync } from 'node:fs'

/** The nearest folder with a manifest: the code may be bundled, or compiled, in another folder. */
function findRoot(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  const parent = new URL('../', folder)
  if (parent.href === folder.href) throw new Error(`no package.json above ${import.meta.url}`)
  return findRoot(parent)
}

/** Ends with a slash. */
export const root = findRoot(new URL('.', import.meta.url))

/** The package has no sources. */
export const isCheckout = existsSync(new URL('src/main.ts', root))

export const readVersion = (): string =>
  (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }).version
