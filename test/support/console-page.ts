/** The console as its first owner sees it: signed in, in the workspace `acme`. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Environment } from '../../src/platform/config/config.ts'
import type { CallOptions, CallResult } from './app.ts'
import { openBrowser, type OpenedPage, openPage } from './browser.ts'
import { preparedDataDir, type Service, startService } from './service.ts'

type Cleanup = Pick<TestContext, 'after'>

/** As they sign in. */
export const OWNER = { email: 'ada@example.com', password: 'correct horse battery staple 9' }

export interface OwnerPage extends OpenedPage {
  /** Calls the API as the owner, below the workspace. */
  make: (path: string, body: object) => Promise<Record<string, unknown>>
  /** Changes something there. */
  change: (path: string, body: object) => Promise<void>
  /** Sends rows, one a line. */
  send: (path: string, rows: string) => Promise<void>
  mqtt: Service['mqtt']
  /** The folder of the service, whose database a test may alter. */
  dataDir: string
  /** Calls the API as anybody. */
  call: Service['call']
  /** With these, `call` is the owner's. */
  headers: Record<string, string>
  workspaceId: string
}

/** A service with the console, in a data folder that may have been used before. */
export const openService = (t: Cleanup, dataDir: string, more: Environment = {}) =>
  startService(t, dataDir, {
    environment: {
      MOORING_CONSOLE: 'on',
      MOORING_BOOTSTRAP_EMAIL: OWNER.email,
      MOORING_BOOTSTRAP_PASSWORD: OWNER.password,
      MOORING_BOOTSTRAP_WORKSPACE: 'acme',
      ...more,
    },
  })

export async function signInAsOwner(page: Page): Promise<void> {
  await page.goto('/console/sign-in')
  await page.getByLabel('E-mail').fill(OWNER.email)
  await page.getByLabel('Password', { exact: true }).fill(OWNER.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // Into their only workspace.
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/**
 * @param path below the workspace
 * @param more variables of the service
 * @param options of the window
 */
export async function openAsOwner(
  t: Cleanup,
  path: string,
  more: Environment = {},
  options: BrowserContextOptions = {},
): Promise<OwnerPage> {
  const dataDir = await preparedDataDir(t)
  const service = await openService(t, dataDir, more)
  const opened = await openPage(t, await openBrowser(t), service, options)
  const { page } = opened
  await signInAsOwner(page)
  await page.goto(`/console/w/acme/${path}`)
  return { ...opened, ...(await maker(service)), mqtt: service.mqtt, call: service.call, dataDir }
}

type Maker = Pick<OwnerPage, 'make' | 'change' | 'send' | 'headers' | 'workspaceId'>

async function maker({ call }: Service): Promise<Maker> {
  const signedIn = await call('POST', '/auth/login', { body: OWNER })
  const headers = { authorization: `Bearer ${signedIn.body.access_token}` }
  const { body } = await call('GET', '/workspaces', { headers })
  const workspaceId = String(body.items[0].id)
  const post = async (path: string, options: CallOptions, method = 'POST'): Promise<CallResult> => {
    const response = await call(method, `/workspaces/${workspaceId}/${path}`, options)
    assert.ok(response.status < 300, response.text)
    return response
  }
  return {
    headers,
    workspaceId,
    make: async (path, made) => (await post(path, { headers, body: made })).body,
    async change(path, body) {
      await post(path, { headers, body }, 'PATCH')
    },
    async send(path, rows) {
      const ofRows = { ...headers, 'content-type': 'application/x-ndjson' }
      await post(path, { headers: ofRows, body: rows })
    },
  }
}
