/** Where signing in leads to somebody who has asked for no page. */
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { as } from '../../support/app.ts'
import { skip } from '../../support/browser.ts'
import { fillSignIn, newMember, startConsoleApp } from '../../support/console-people.ts'
import { person, signIn } from '../../support/sign-in.ts'

const WORKSPACES = '/console/workspaces'

async function isAt(page: Page, pathname: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === pathname)
  const name = pathname === WORKSPACES ? 'Workspaces' : 'Overview'
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Mooring' }).waitFor()
}

suite('the start of the console', { skip }, () => {
  test('is the only workspace of a person, or else the last one in this browser', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const owner = await newMember(app, 'owner')
    const { page, assertClean } = await openAs(owner, '/sign-in')
    await isAt(page, `/console/w/${app.seed.slug}`)
    await page.getByRole('button', { name: /, switch workspace$/ }).click()
    await page.getByRole('menuitem', { name: 'All workspaces' }).click()
    await isAt(page, WORKSPACES)

    const body = { name: 'Garage', slug: 'garage' }
    const token = (await signIn(app, owner)).access_token
    const made = await app.call('POST', '/workspaces', { as: as.user(token), body })
    await page.goto('/console/w/garage/')
    await isAt(page, '/console/w/garage/')
    await page.goto('/console/')
    await isAt(page, '/console/w/garage')

    await app.call('DELETE', `/workspaces/${made.body.id}`, {
      as: as.user(token),
      body: { confirm: 'garage' },
    })
    await page.goto('/console/')
    await page.waitForURL((url) => !url.pathname.includes('garage') && url.pathname !== '/console/')
    assertClean()
  })

  test('is the list for somebody who was in none of several, or has none', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const owner = await newMember(app, 'owner')
    const token = as.user((await signIn(app, owner)).access_token)
    const body = { name: 'Garage', slug: 'garage' }
    await app.call('POST', '/workspaces', { as: token, body })
    const { page, assertClean } = await openAs(owner, '/')
    await isAt(page, WORKSPACES)

    await page.goto(`/console/w/${app.seed.slug}/`)
    await isAt(page, `/console/w/${app.seed.slug}/`)
    await signOut(page)
    // Another person finds nothing of it.
    await fillSignIn(page, await person(app))
    await isAt(page, WORKSPACES)
    assertClean()
  })
})
