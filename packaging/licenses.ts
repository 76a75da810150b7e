/** The licences of what is delivered with the service, and the list of those that may be. */
import { type Lock, installedPackages, packageAt } from './lock.ts'

/**
 * SPDX expressions of licences that allow delivery in an Apache-2.0 product: permissive ones, the
 * one of Python, and for fonts the one of fonts.
 */
export const allowedLicenses: ReadonlySet<string> = new Set([
  '(BSD-3-Clause OR GPL-2.0)',
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Python-2.0',
])

/** Packages whose manifest names no licence; each has its text in a file. */
const fromFiles: Readonly<Record<string, string>> = { 'png-js': 'MIT' }

export interface LicensedPackage {
  name: string
  version: string
  /** An SPDX expression; undefined if none is known. */
  license: string | undefined
}

/** The packages that npm installs with the service, with their licenses, by name. */
export function licensesOf(lock: Lock): LicensedPackage[] {
  const found = new Map<string, LicensedPackage>()
  for (const [path, { version, license }] of installedPackages(lock)) {
    const name = packageAt(path)
    found.set(`${name}@${version}`, { name, version, license: license ?? fromFiles[name] })
  }
  return [...found.keys()].sort().flatMap((key) => found.get(key) ?? [])
}

/** A package inside the console's files, as Vite reports it. */
export interface BundledPackage {
  name: string
  version: string
  identifier?: string
  text?: string
}

const textOf = ({ name, version, identifier, text }: BundledPackage): string =>
  `### ${name} ${version} (${identifier})\n\n${text?.trim()}\n`

/** A page that lists them, with the texts of what the console's files contain. */
export function licensesPage(
  installed: readonly LicensedPackage[],
  bundled: readonly BundledPackage[],
): string {
  const rows = installed.map((each) => `| ${each.name} | ${each.version} | ${each.license} |`)
  return `# Licences

Mooring is under the Apache License 2.0; its text is in the file LICENSE.

## Packages that npm installs with it

Each of them contains the text of its licence. sbom.cdx.json lists them for programs.

| package | version | licence |
|---|---|---|
${rows.join('\n')}

## Packages inside the files of the console

${bundled.map(textOf).join('\n')}`
}
