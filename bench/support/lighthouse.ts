/**
 * Scores a page by Lighthouse, in a browser that is open already and signed in. Lighthouse is no
 * dependency of the project, because it is larger than all of them: npx fetches it.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const CATEGORIES = ['performance', 'accessibility', 'best-practices']
/** The stream of live changes never ends: Lighthouse would wait 45 s for a quiet network. */
const LONGEST_LOAD_MS = 8_000
const MOST_OUTPUT = 64 * 2 ** 20

interface Report {
  categories: Record<string, { score: number | null }>
}

/** @returns the scores of performance, accessibility and best practices, up to 100 */
export async function scoresOf(url: string, port: number): Promise<number[]> {
  const options = [
    `--port=${port}`,
    '--preset=desktop',
    `--max-wait-for-load=${LONGEST_LOAD_MS}`,
    `--only-categories=${CATEGORIES.join(',')}`,
    // The session is in a cookie.
    '--disable-storage-reset',
    '--output=json',
    '--quiet',
  ]
  const { stdout } = await promisify(execFile)('npx', ['--yes', LIGHTHOUSE, url, ...options], {
    maxBuffer: MOST_OUTPUT,
  })
  const { categories } = JSON.parse(stdout) as Report
  return CATEGORIES.map((name) => Math.round((categories[name]?.score ?? 0) * 100))
}
