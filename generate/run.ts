/**
 * `npm run generate`: writes the generated files of the repository. With `--check` it writes none,
 * and fails if one is not up to date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { generatedFiles } from './generated.ts'

const root = resolve(import.meta.dirname, '..')
const isCheck = process.argv.includes('--check')

const stale: string[] = []
for (const [path, make] of Object.entries(generatedFiles)) {
  const file = join(root, path)
  const text = await make()
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue
  stale.push(path)
  if (isCheck) continue
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
for (const path of stale) console.log(isCheck ? `not up to date: ${path}` : `wrote ${path}`)
if (isCheck && stale.length > 0) process.exitCode = 1
