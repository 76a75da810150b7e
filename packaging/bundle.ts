/**
 * Puts the code of the service into a few files, which a start reads in half of the time that the
 * sources take, and which need less memory. `npm ci` makes those of a checkout, in dist/service.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')

/** Packages stay outside, but for the schema library, which has 370 modules. */
const isOutside = (id: string): boolean => /^[^./]/.test(id) && !/^typebox(\/|$)/.test(id)

/**
 * @param to folder that is replaced; `main.js` in it is the program
 * @throws Error with the code ERR_MODULE_NOT_FOUND where only what the service needs is installed
 */
export async function bundleService(to: string): Promise<void> {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    cwd: root,
    input: 'src/main.ts',
    platform: 'node',
    external: isOutside,
    transform: { target: 'es2024' },
  })
  rmSync(to, { recursive: true, force: true })
  await bundle.write({ dir: to, keepNames: true })
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) {
  await bundleService(join(root, 'dist/service')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  })
}
