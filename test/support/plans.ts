/** Plans files for tests: the documented example, and plans in other currencies. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlansFile } from '../../src/features/metering/plans/schema.ts'

const EXAMPLE = new URL('../../examples/plans.json', import.meta.url)

export const examplePlans = (): PlansFile => JSON.parse(readFileSync(EXAMPLE, 'utf8')) as PlansFile

let folder: string | undefined
let files = 0

/** Removed when the process ends. */
function folderOfProcess(): string {
  if (folder !== undefined) return folder
  const made = mkdtempSync(join(tmpdir(), 'mooring-plans-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  folder = made
  return made
}

/** Writes a plans file that lives as long as the process. @returns its path. */
export function plansFile(file: unknown = examplePlans()): string {
  const path = join(folderOfProcess(), `${++files}.json`)
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
  return path
}
