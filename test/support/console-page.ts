/** The console as its first owner sees it: signed in, in the workspace `acme`. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openBrowser, type OpenedPage, openPage, startConsole } from './browser.ts'
import type { Service } from './service.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery staple 9'

export interface OwnerPage extends OpenedPage {
  /** Calls the API as the owner, below the workspace. */
  make: (path: string, body: object) => Promise<Record<string, unknown>>
}

/** @param path below the workspace */
export async function openAsOwner(t: TestContext, path: string): Promise<OwnerPage> {
  const environment = {
    MOORING_BOOTSTRAP_EMAIL: EMAIL,
    MOORING_BOOTSTRAP_PASSWORD: PASSWORD,
    MOORING_BOOTSTRAP_WORKSPACE: 'acme',
  }
  const service = await startConsole(t, { environment })
  const opened = await openPage(t, await openBrowser(t), service)
  const { page } = opened
  await page.goto('/console/sign-in')
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
  await page.goto(`/console/w/acme/${path}`)
  return { ...opened, make: await maker(service) }
}

async function maker({ call }: Service): Promise<OwnerPage['make']> {
  const signedIn = await call('POST', '/auth/login', { body: { email: EMAIL, password: PASSWORD } })
  const headers = { authorization: `Bearer ${signedIn.body.access_token}` }
  const { body } = await call('GET', '/workspaces', { headers })
  const [workspace] = body.items as { id: string }[]
  return async (path, made) => {
    const to = `/workspaces/${workspace?.id}/${path}`
    const response = await call('POST', to, { headers, body: made })
    assert.ok(response.status < 300, response.text)
    return response.body
  }
}
