/** Reads the console that `console/build.ts` has built. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConsoleFile, ConsoleFiles } from './console-pages.ts'
import { root } from './project.ts'
import { StaticContent } from '../platform/http/static-content.ts'

const FOLDER = fileURLToPath(new URL('console/dist', root))

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

function readFile(path: string, name: string, type: string): ConsoleFile {
  const compressed = `${path}.br`
  const brotli = existsSync(compressed) ? readFileSync(compressed) : undefined
  return {
    content: new StaticContent(type, readFileSync(path), brotli),
    // Names of assets contain a hash of their contents.
    cache: name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    isDocument: /html|svg/.test(type),
  }
}

/** Empty if the console has not been built. */
export function readConsole(): ConsoleFiles {
  const files = new Map<string, ConsoleFile>()
  if (!existsSync(FOLDER)) return files
  for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const name = relative(FOLDER, path).replaceAll(sep, '/')
    files.set(name, readFile(path, name, type))
  }
  return files
}
