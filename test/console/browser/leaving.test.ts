/** How people leave: by the act of an owner, by their own, and with their account. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { as, type TestApp } from '../../support/app.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { fillSignIn, newMember, startConsoleApp } from '../../support/console-people.ts'
import { mailTo } from '../../support/outbox.ts'
import { PASSWORD, type Person, signIn } from '../../support/sign-in.ts'

const ELEVEN_MINUTES = 660_000

async function tokenOf(app: TestApp, who: Person) {
  return as.user((await signIn(app, who)).access_token)
}

async function newKey(app: TestApp, who: Person, name: string): Promise<string> {
  const made = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
    as: await tokenOf(app, who),
    body: { key_kind: 'platform', name },
  })
  assert.equal(made.status, 201, made.text)
  return made.body.key as string
}

/** Opens the menu of a member and chooses an act. */
async function chooseAct(page: Page, { email }: Person, act: string): Promise<void> {
  await page.getByRole('row', { name: email }).getByRole('button', { name: /^More/ }).click()
  await page.getByRole('menuitem', { name: act }).click()
}

/** Goes to another workspace by the switch above the navigation. */
async function switchTo(page: Page, present: string, next: string): Promise<void> {
  await page.getByRole('button', { name: `${present} , switch workspace` }).click()
  await page.getByRole('menuitem', { name: next, exact: true }).click()
  await page.getByRole('button', { name: `${next} , switch workspace` }).waitFor()
}

/** Chooses the deletion on the page of one's account, and types the address. */
async function askToDelete(page: Page, { email }: Person): Promise<void> {
  await page.getByRole('button', { name: 'Delete my account…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' })
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email)
  await dialog.getByText('API keys revoked permanently').locator('..').getByText('1').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Delete my account' }).click()
}

/** Each workspace shows its own, whichever was looked at before. Then Garage is deleted. */
async function deleteGarage(page: Page, other: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  const links = page.getByRole('navigation', { name: 'Main' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await switchTo(page, 'Mooring', other)
  await links.getByRole('link', { name: 'Templates' }).click()
  await page.getByRole('cell', { name: 'Sensor', exact: true }).waitFor()
  await switchTo(page, other, 'Garage')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/console/w/garage')
  await links.getByRole('link', { name: 'Templates' }).click()
  await page.getByRole('heading', { name: 'No templates yet' }).waitFor()
  await links.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Delete the workspace…' }).click()
  await dialog.getByLabel('Type garage to confirm').fill('garage')
  await dialog.getByRole('button', { name: 'Delete the workspace' }).click()
  await dialog.getByRole('button', { name: 'Your workspaces' }).click()
}

suite('leaving, in the browser', { skip }, () => {
  test('an owner removes a member, and sees what ends and what stays', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const [owner, leaver] = [await newMember(app, 'owner'), await newMember(app, 'admin')]
    await newKey(app, leaver, 'Nightly export')
    const { page, assertClean } = await openAs(owner, `/w/${app.seed.slug}/people`)
    const theirs = await openAs(leaver, `/w/${app.seed.slug}/devices`)
    await theirs.page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    const dialog = page.getByRole('dialog')
    await chooseAct(page, leaver, 'Remove…')
    await dialog.getByText('Nightly export').waitFor()
    await assertAccessible(page)
    await dialog.getByLabel('platform keys').check()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('Keys kept').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: leaver.email }).waitFor({ state: 'detached' })
    await page.goto(`/console/w/${app.seed.slug}/keys`)
    const key = page.getByRole('row', { name: 'Nightly export' })
    await key.getByText('(left)').waitFor()

    // A person who is removed finds no page of the workspace any more.
    await theirs.page.goto(`/console/w/${app.seed.slug}/devices`)
    await theirs.page.getByRole('heading', { name: 'There is no such workspace for you' }).waitFor()
    await assertAccessible(theirs.page)
    theirs.assertClean()
    assertClean()
  })

  test('an owner makes a member a viewer, whose open page lets them change nothing', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const [owner, member] = [await newMember(app, 'owner'), await newMember(app, 'member')]
    const theirs = await openAs(member, `/w/${app.seed.slug}/templates`)
    const create = theirs.page.getByRole('button', { name: 'Create template' }).first()
    await create.and(theirs.page.locator(':not([aria-disabled="true"])')).waitFor()
    const { page, assertClean } = await openAs(owner, `/w/${app.seed.slug}/people`)
    await chooseAct(page, member, 'Change role…')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: /^viewer/i }).check()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('row', { name: member.email })
    await row.getByText('viewer', { exact: true }).waitFor()
    await create.and(theirs.page.locator('[aria-disabled="true"]')).waitFor()
    await create.hover()
    await theirs.page.getByText('Your role here is viewer. Only').first().waitFor()
    theirs.assertClean()
    assertClean()
  })

  test('a member leaves, and comes to the other workspaces', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const member = await newMember(app, 'admin')
    await newKey(app, member, 'Nightly export')
    const { page, assertClean } = await openAs(member, `/w/${app.seed.slug}/people`)
    const dialog = page.getByRole('dialog')
    await chooseAct(page, member, 'Leave…')
    await dialog.getByText('You lose access at once').waitFor()
    await dialog.getByText('Nightly export').waitFor()
    await dialog.getByText('let a colleague remove you').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'You are in no workspace yet' }).waitFor()
    await assertAccessible(page)
    assertClean()
  })

  test('an account is deleted by its owner, and its acts stay without its name', async (t) => {
    const { app, clock, openAs } = await startConsoleApp(t)
    const [stays, goes] = [await newMember(app, 'owner'), await newMember(app, 'admin')]
    await newKey(app, goes, 'Line 7')
    const own = await app.call('POST', '/workspaces', {
      as: await tokenOf(app, goes),
      body: { name: 'Garage', slug: 'garage' },
    })
    assert.equal(own.status, 201, own.text)
    const { page, assertClean } = await openAs(goes, '/account')
    await page.getByRole('button', { name: 'Delete my account…' }).waitFor()
    await page.getByRole('button', { name: 'Delete my account…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You are the only owner of Garage').waitFor()
    await dialog.getByRole('link', { name: 'People of Garage' }).waitFor()
    assert.equal(await dialog.getByRole('textbox').count(), 0, 'nothing is typed in vain')
    await assertAccessible(page)

    await deleteGarage(page, app.seed.slug)
    await page.goto('/console/account')
    await page.getByRole('button', { name: 'Delete my account…' }).waitFor()
    clock.move(ELEVEN_MINUTES)
    await askToDelete(page, goes)
    const proof = page.getByRole('dialog', { name: 'Is it you?' })
    await proof.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await assertAccessible(page)
    await proof.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await fillSignIn(page, goes)
    await page.getByRole('alert').waitFor()
    const subjects = (await mailTo(app, goes.email)).map(({ subject }) => subject)
    assert.ok(subjects.includes('Your account was deleted (Mooring)'), subjects.join())

    const left = await openAs(stays, `/w/${app.seed.slug}/`)
    const history = left.page.getByRole('region', { name: 'Newest entries of the audit log' })
    const entry = history.getByRole('row', { name: 'Member removed' })
    await entry.getByText('a deleted account').last().waitFor()
    await assertAccessible(left.page)
    assert.equal(await left.page.getByText(goes.email).count(), 0)
    left.assertClean()
    assertClean()
  })
})
