/** Several people are invited at once; refusals are shown, and nothing typed is lost. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'

suite('inviting several people in the browser', { skip }, () => {
  test('a pasted list is marked, sent, and ends in a receipt', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const owner = await newMember(app, 'owner')
    const member = await newMember(app, 'member')
    const { page, assertClean } = await openAs(owner, `/w/${app.seed.slug}/people`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByText('No mail is sent. You get a link for each person').waitFor()
    const field = dialog.getByLabel('E-mail addresses')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByText('Enter at least one address').waitFor()
    await field.fill(`Ada <ada@example.com>, grace@example.com\nnobody ${member.email}`)
    await dialog.getByText('nobody: no address').waitFor()
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByText('Not an e-mail address: nobody').waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    await assertAccessible(page)

    await field.fill((await field.inputValue()).replace('nobody', ''))
    await dialog.getByRole('radio', { name: 'viewer' }).check()
    await dialog.getByRole('button', { name: 'Invite 3 people' }).click()
    await dialog.getByText('2 people invited').waitFor()
    await dialog.getByText('1 person not invited').waitFor()
    const links = dialog.getByText(/\/console\/invitations#token=/)
    assert.equal(await links.count(), 2)
    await dialog.getByRole('button', { name: 'Copy all with their addresses' }).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    assert.equal(await links.count(), 2, 'links that are shown once go by their own button only')

    await dialog.getByRole('button', { name: 'Correct those not invited' }).click()
    assert.equal(await field.inputValue(), member.email)
    assert.equal(await dialog.getByRole('radio', { name: 'viewer' }).isChecked(), true)
    await field.fill('linus@example.com')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByText('1 person invited').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const pending = page.getByRole('region', { name: 'Pending invitations' }).last()
    for (const name of ['ada', 'grace', 'linus']) {
      await pending.getByRole('row', { name: `${name}@example.com viewer` }).waitFor()
    }
    assertClean()
  })

  test('after a refusal that holds for all, the others are not tried', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const owner = await newMember(app, 'owner')
    const { page, assertClean } = await openAs(owner, `/w/${app.seed.slug}/people`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Invite' }).click()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(new URL(request.url()).pathname)
    })
    await page.context().setOffline(true)
    const list = 'ada@example.com\ngrace@example.com'
    await dialog.getByLabel('E-mail addresses').fill(list)
    await dialog.getByRole('button', { name: 'Invite 2 people' }).click()
    await dialog.getByText('2 people not invited').waitFor()
    assert.equal(asked.filter((path) => path.endsWith('/invitations')).length, 1)
    await page.context().setOffline(false)
    await dialog.getByRole('button', { name: 'Correct those not invited' }).click()
    assert.equal(await dialog.getByLabel('E-mail addresses').inputValue(), list)
    await dialog.getByRole('button', { name: 'Invite 2 people' }).click()
    await dialog.getByText('2 people invited').waitFor()
    assertClean()
  })
})
