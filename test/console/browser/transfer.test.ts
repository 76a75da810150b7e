/** Import and export in the browser: tried, done, and run again with the corrected rows. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { HOSTILE, HOSTILE_WORD } from '../../support/console-places.ts'
import { assertNothingInjected } from '../../support/console-walk.ts'

const asFile = (name: string, text: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
})

const FILE = `serial,label,model,colour
lamp-1,"Hall, north",lamp,red
lamp 2,Kitchen,lamp,blue
lamp-3,Attic,none,green
lamp-1,Again,lamp,red
lamp-4,Cellar,lamp,
`

/** Its column and cells are shown before anything is imported. */
const HOSTILE_FILE = `serial,${HOSTILE_WORD}\n${HOSTILE_WORD},"${HOSTILE.replaceAll('"', '""')}"\n`

/** The file that a click downloads. */
async function downloaded(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ])
  return readFile(await file.path(), 'utf8')
}

const stat = (page: Page, label: string, value: string) =>
  page.getByText(label, { exact: true }).locator('..').getByText(value, { exact: true }).waitFor()

async function tryHostile(page: Page): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(asFile(`${HOSTILE}.csv`, HOSTILE_FILE))
  await page.getByLabel(`Column ${HOSTILE_WORD} is`).selectOption('Name')
  await page.getByLabel('Column serial is').selectOption('Device key')
  await page.getByRole('button', { name: 'Try it' }).click()
  await stat(page, 'Wrong', '1')
  await assertNothingInjected(page)
}

/** The credentials are not shown again. */
async function askedToStay(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Overview' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without the credentials?' })
  await question.getByText('The credentials of 5 devices were not downloaded').waitFor()
  await assertAccessible(page)
  await question.getByRole('button', { name: 'Stay here' }).click()
}

async function assertExported(page: Page): Promise<void> {
  const exported = await downloaded(page, 'Export')
  for (const key of ['lamp-1', 'lamp-2', 'lamp-3', 'lamp-4', 'lamp-5']) {
    assert.ok(exported.includes(`${key},`), key)
  }
  assert.match(exported, /lamp-2,Kitchen.*blue/)
}

suite('import and export in the browser', { skip }, () => {
  test('wrong rows are shown, given back, corrected, and run again', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'transfer')
    await make('device-templates', { model_key: 'lamp', name: 'Lamp', serial_format: 'L-%#f' })
    const chooser = page.locator('input[type=file]')
    await chooser.setInputFiles(asFile('none.csv', 'serial\n'))
    await page.getByText('The file has no rows.').waitFor()
    await tryHostile(page)
    await chooser.last().setInputFiles(asFile('lamps.csv', FILE))
    await page.getByRole('heading', { name: 'lamps.csv: 5 rows' }).waitFor()
    await page.getByLabel('Column colour is').selectOption('Tag: colour')
    await page.getByLabel('Column serial is').selectOption('Not imported')
    await page.getByText('One column has to be the device key').first().waitFor()
    await page.getByLabel('Column serial is').selectOption('Device key')
    await page.getByLabel('Create credentials').check()
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByRole('heading', { name: 'Dry run: done' }).waitFor()
    await stat(page, 'Would be created', '2')
    await stat(page, 'Wrong', '3')
    await page.getByText('names the same device as row 2').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByRole('heading', { name: 'Import: done' }).waitFor()
    await stat(page, 'Created', '2')
    const wrong = await downloaded(page, 'Download them')
    assert.match(wrong, /^serial,label,model,colour,problem\r\n/)
    assert.match(wrong, /\nlamp 2,Kitchen,lamp,blue,"device_key must/)
    const corrected = wrong
      .replace('lamp 2', 'lamp-2')
      .replace('lamp-3,Attic,none', 'lamp-3,Attic,lamp')
      .replace('lamp-1,Again', 'lamp-5,Again')
    await chooser.last().setInputFiles(asFile('lamps-wrong.csv', corrected))
    await page.getByRole('heading', { name: 'lamps-wrong.csv: 3 rows' }).waitFor()
    assert.equal(await page.getByLabel('Column colour is').inputValue(), 'tags.colour')
    assert.equal(await page.getByLabel('Column problem is').inputValue(), '')
    await page.getByRole('button', { name: 'Try it' }).click()
    await stat(page, 'Would be created', '3')
    await page.getByRole('button', { name: 'Import 3 rows' }).click()
    await stat(page, 'Created', '3')
    await askedToStay(page)
    const secrets = await downloaded(page, 'Download credentials')
    assert.equal(secrets.trim().split('\n').length, 5, 'also those of the first import')
    assert.match(secrets, /"mqtt_password":"\S+"/)
    await assertExported(page)
    await page.getByRole('link', { name: 'Open devices' }).click()
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    assertClean()
  })
})
