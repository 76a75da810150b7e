/** The permitted size of the console's code, and its size as built. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DIST = fileURLToPath(new URL('dist', import.meta.url))
const MANIFEST = join(DIST, '.vite/manifest.json')

/** Bytes; of code, compressed. */
export const budget = {
  /** The document, scripts and styles of the sign-in, in any language. */
  signIn: 110 * 1_024,
  /** All scripts of the first page of somebody who is signed in, if that is the list of devices. */
  deviceList: 190_000,
  /** The scripts that a page adds. */
  page: 25_000,
  /** Memory of the list of devices that shows 2,000 rows. */
  rows: 60 * 2 ** 20,
}

interface Chunk {
  file: string
  /** The name of the module that it begins with. Styles and fonts have none. */
  name?: string
  imports?: string[]
  css?: string[]
}
type Manifest = Readonly<Record<string, Chunk>>

const DOCUMENT = 'index.html'
const ENTRY = 'index'
const FRAME = [ENTRY, 'frame']
/** The German texts of the sign-in. */
const GERMAN = 'shared.de'

function weightOf(file: string): number {
  const compressed = join(DIST, `${file}.br`)
  return statSync(existsSync(compressed) ? compressed : join(DIST, file)).size
}

const weigh = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + weightOf(file), 0)

/** The files that chunks with these names need, with the chunks that they import. */
function filesOf(manifest: Manifest, names: readonly string[]) {
  const scripts = new Set<string>()
  const styles = new Set<string>()
  const add = (name: string, chunk?: Chunk): void => {
    if (chunk === undefined) throw new Error(`the build of the console has no ${name}`)
    if (scripts.has(chunk.file)) return
    scripts.add(chunk.file)
    for (const style of chunk.css ?? []) styles.add(style)
    for (const each of chunk.imports ?? []) add(each, manifest[each])
  }
  const chunks = Object.values(manifest)
  for (const name of names) {
    add(
      name,
      chunks.find((each) => each.name === name),
    )
  }
  return { scripts, styles }
}

export interface Weights {
  signIn: number
  signInGerman: number
  deviceList: number
  /** The bytes that each chunk adds to the frame, with its imports; by its name. */
  pages: Map<string, number>
}

/** @returns undefined if the console has not been built */
export function weighConsole(): Weights | undefined {
  if (!existsSync(MANIFEST)) return undefined
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  const first = filesOf(manifest, [ENTRY])
  const frame = filesOf(manifest, FRAME)
  const names = Object.values(manifest).flatMap(({ name }) => name ?? [])
  const pages = names.map((name): [string, number] => {
    const added = [...filesOf(manifest, [name]).scripts].filter((each) => !frame.scripts.has(each))
    return [name, weigh(added)]
  })
  const german = filesOf(manifest, [ENTRY, GERMAN])
  return {
    signIn: weigh([DOCUMENT, ...first.scripts, ...first.styles]),
    signInGerman: weigh([DOCUMENT, ...german.scripts, ...german.styles]),
    deviceList: weigh(filesOf(manifest, [...FRAME, 'DeviceList']).scripts),
    pages: new Map(pages),
  }
}

/** The file with the code of a page, such as `KeyList`; undefined if there is none. */
export function fileOfPage(page: string): string | undefined {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  return Object.values(manifest).find(({ name }) => name === page)?.file
}
