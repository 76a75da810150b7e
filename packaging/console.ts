/** The built console: what of it is delivered, and which packages its files contain. */
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../console/build.ts'
import type { BundledPackage } from './licenses.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

/** Fonts, which stylesheets include: Vite lists only the packages that scripts import. */
function fontsOf(root: string): BundledPackage[] {
  const manifest = JSON.parse(read(join(root, 'console/package.json'))) as {
    devDependencies: Record<string, string>
  }
  return Object.entries(manifest.devDependencies)
    .filter(([name]) => name.startsWith('@fontsource'))
    .map(([name, version]) => {
      const folder = join(root, 'node_modules', name)
      const { license } = JSON.parse(read(join(folder, 'package.json'))) as { license: string }
      return { name, version, identifier: license, text: read(join(folder, 'LICENSE')) }
    })
}

/** The packages whose code or fonts are in the built console. */
export function bundledPackages(root: string): BundledPackage[] {
  const path = join(root, 'console/dist/.vite/licenses.json')
  return [...(JSON.parse(read(path)) as BundledPackage[]), ...fontsOf(root)]
}

/**
 * Builds the console and copies what the service serves, without the files about the build itself.
 * @throws Error without the packages for development, which the build needs
 */
export function copyConsole(root: string, to: string): void {
  if (buildConsole() === 'unavailable') {
    throw new Error('the console cannot be built: run "npm ci" with the packages for development')
  }
  const from = join(root, 'console/dist')
  for (const path of globSync('**/*.*', { cwd: from })) {
    cpSync(join(from, path), join(to, path))
  }
}
