/** Plans files for tests: the documented example, and plans in other currencies. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlansFile } from '../../src/features/plans/schema.ts'

const EXAMPLE = new URL('../../examples/plans.json', import.meta.url)

export const examplePlans = (): PlansFile => JSON.parse(readFileSync(EXAMPLE, 'utf8')) as PlansFile

/** Writes a plans file that lives as long as the run. @returns its path. */
export function plansFile(file: unknown = examplePlans()): string {
  const path = join(mkdtempSync(join(tmpdir(), 'mooring-plans-')), 'plans.json')
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
  return path
}
