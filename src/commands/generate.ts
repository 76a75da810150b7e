/** `mooring generate`: writes the repository's generated files. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { addCommand, CommandFailure, print, say } from './command.ts'

const root = new URL('../../', import.meta.url)

/** Whether the file differs from the text; if so, it is written unless `check` is set. */
async function isStale(path: string, text: string, check: boolean): Promise<boolean> {
  const file = fileURLToPath(new URL(path, root))
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return false
  if (!check) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return true
}

async function generate({ check = false }: { check?: true | false }): Promise<void> {
  const { generatedFiles } = await import('./generate/generated.ts')
  const stale: string[] = []
  for (const [path, make] of Object.entries(generatedFiles)) {
    if (await isStale(path, await make(), check)) stale.push(path)
  }
  if (stale.length === 0) return say('All generated files are up to date.')
  if (check) throw new CommandFailure(`Not up to date: ${stale.join(', ')}. Run: npm run generate`)
  for (const path of stale) print(`wrote ${path}`)
}

export function addGenerate(program: Command): void {
  addCommand(program, 'generate', {
    summary: 'Write the generated files of this repository',
    more:
      'openapi.json, schema.sql, statements.ts, two files of sdk/ and some pages of docs/. For ' +
      'developers: review the differences, and commit them with their cause.',
    examples: ['generate', 'generate --check'],
    failsWhen: 'a file could not be written, or with --check is not up to date',
  })
    .option('--check', 'write nothing; fail if a file is not up to date')
    .action(generate)
}
