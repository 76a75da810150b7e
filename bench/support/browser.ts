/** A browser whose requests are counted by their size. */
import { existsSync } from 'node:fs'
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { IN_PAGE } from './in-page.ts'

const CHROMIUM = process.env.MOORING_TEST_CHROMIUM ?? '/usr/bin/chromium'

export interface Transfer {
  url: string
  /** As the browser names it: `Script`, `Font`, `Fetch`, … */
  kind: string
  /** On the wire, with headers; 0 from the cache of the browser. */
  bytes: number
  /** Without headers, as it was compressed. */
  bodyBytes: number
}

export interface MeasuredPage {
  page: Page
  /** The data received since the last call. */
  takeTransfers: () => Transfer[]
  /** The memory of its scripts in bytes, after a collection. */
  heap: () => Promise<number>
  clearCache: () => Promise<void>
}

/** @throws Error without a browser */
export function findChromium(): string {
  if (existsSync(CHROMIUM)) return CHROMIUM
  throw new Error(
    `there is no browser at ${CHROMIUM}: install Chromium, or name another one with MOORING_TEST_CHROMIUM`,
  )
}

/**
 * @param profile folder of the browser
 * @param port on which other programs can drive it
 */
export const openBrowser = (
  profile: string,
  origin: string,
  port: number,
): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    baseURL: origin,
    viewport: { width: 1440, height: 900 },
    // Without its sandbox, because a bench may run as root.
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  })

/** Records what a page receives. */
function recordTransfers(session: CDPSession): () => Transfer[] {
  let transfers: Transfer[] = []
  const known = new Map<string, { url: string; kind: string; headBytes: number }>()
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    const { url, encodedDataLength } = response
    known.set(requestId, { url, kind: type, headBytes: encodedDataLength })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => {
    const found = known.get(requestId)
    if (found === undefined) return
    const { headBytes, ...of } = found
    transfers.push({ ...of, bytes, bodyBytes: Math.max(0, bytes - headBytes) })
  })
  return () => {
    const taken = transfers
    transfers = []
    return taken
  }
}

export async function openPage(context: BrowserContext): Promise<MeasuredPage> {
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.addInitScript(IN_PAGE)
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('HeapProfiler.enable')
  return {
    page,
    takeTransfers: recordTransfers(session),
    async heap() {
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      return usedSize
    },
    clearCache: async () => {
      await session.send('Network.clearBrowserCache')
    },
  }
}
