/**
 * The program of a checkout: its bundle, or the sources if one of them is newer. `npm start` and
 * `npm run mooring` run it.
 */
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const INPUTS = ['src', 'src/**', 'package-lock.json', 'packaging/bundle.ts']
const BUNDLE = join(root, 'dist/service/main.js')

const changedAt = (path: string): number =>
  statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

function isBundleCurrent(): boolean {
  const builtAt = changedAt('dist/service/main.js')
  return builtAt > 0 && globSync(INPUTS, { cwd: root }).every((path) => changedAt(path) < builtAt)
}

await import(isBundleCurrent() ? BUNDLE : '../src/main.ts')
