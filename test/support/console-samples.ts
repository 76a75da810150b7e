/**
 * The samples of the console's components. The released console has no such page: a build of its
 * own has it, which takes the place of the files of the service here.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { buildSamples } from '../../console/build.ts'
import { defer } from './cleanup.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** From now on the page loads the code that has the samples. Headers and calls stay as they are. */
export async function showSamples(t: Pick<TestContext, 'after'>, page: Page): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-samples-'))
  defer(t, () => rm(folder, { recursive: true, force: true }))
  buildSamples(folder)
  await page.route(/\/console\/(?!api\/)/, async (route: Route) => {
    const { pathname } = new URL(route.request().url())
    const file = join(folder, pathname.slice('/console/'.length))
    if (route.request().resourceType() === 'document') {
      const body = await readFile(join(folder, 'index.html'))
      return route.fulfill({ response: await route.fetch(), body })
    }
    const contentType = TYPES[extname(file)]
    if (contentType === undefined || !existsSync(file)) return route.fallback()
    return route.fulfill({ contentType, body: await readFile(file) })
  })
}
