/**
 * The main pages, as assistive programs read them: roles, names, texts. Kept as text in
 * `snapshots`. After a wanted change, `MOORING_TEST_SNAPSHOTS=write` writes them again.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, openPage, skip, startConsole } from '../../support/browser.ts'
import { openAsOperator } from '../../support/console-operator.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { showSamples } from '../../support/console-samples.ts'
import { LOADING } from '../../support/console-walk.ts'
import { hideParts, steadyFigures, steadyText } from '../../support/steady-text.ts'

const FOLDER = join(import.meta.dirname, 'snapshots')
const isWriting = process.env.MOORING_TEST_SNAPSHOTS === 'write'

/** Nothing happens by itself. */
const STILL = { MOORING_AUDIT_ANCHOR_INTERVAL_S: '0' }

const TRIES = 40
const PAUSE_MS = 250

/** A text is kept once it was the same so often. */
const SAME = 8

interface Compared {
  part?: string
  /** Leaves out what varies. */
  steady?: (text: string) => string
}

/** Compares the page with what is kept, once it has read everything; or keeps what it says. */
async function compare(
  page: Page,
  name: string,
  { part = 'main', steady = steadyText }: Compared = {},
): Promise<void> {
  const said = async (): Promise<string> => `${steady(await page.locator(part).ariaSnapshot())}\n`
  const file = join(FOLDER, `${name}.yaml`)
  const kept = isWriting ? undefined : readFileSync(file, 'utf8')
  await page.locator('h1').first().waitFor()
  let present = await said()
  let same = 0
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (isWriting ? same === SAME : present === kept) break
    await page.waitForTimeout(PAUSE_MS)
    const before = present
    present = await said()
    const isLoading = (await page.locator(LOADING).count()) > 0
    same = present === before && !isLoading ? same + 1 : 0
  }
  if (isWriting) {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, present)
  } else {
    assert.equal(present, kept, `${name}: MOORING_TEST_SNAPSHOTS=write keeps what it says now`)
  }
}

/** From the next page on. */
const speakGerman = (page: Page): Promise<void> =>
  page.evaluate(() => localStorage.setItem('mooring-language', 'de'))

suite('the text of each page', { skip }, () => {
  test('is the stored one for somebody who is not signed in', async (t) => {
    const { page, assertClean } = await openPage(t, await openBrowser(t), await startConsole(t))
    for (const [name, path] of [
      ['sign-in', 'sign-in'],
      ['forgot', 'forgot'],
      ['set-up', 'setup'],
    ] as const) {
      await page.goto(`/console/${path}`)
      await compare(page, name, { part: 'body' })
    }
    await speakGerman(page)
    await page.goto('/console/sign-in')
    await compare(page, 'german-sign-in', { part: 'body' })
    await page.getByLabel('E-Mail').fill('nobody@example.com')
    await page.getByLabel('Passwort', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await compare(page, 'german-refusal', { part: '[role="alert"]' })
    assertClean()
  })

  test('is the stored one in a workspace in which nothing is yet', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'devices', STILL)
    await compare(page, 'frame', { part: 'nav[aria-label="Main"]' })
    for (const name of [
      '',
      'devices',
      'connections',
      'logins',
      'messages',
      'endpoints',
      'templates',
      'keys',
      'jobs',
      'approvals',
      'people',
      'settings',
      'transfer',
      'webhooks',
      'domains',
      'billing',
      'billing?tab=invoices',
      'billing?tab=balance',
      'billing?tab=payments',
      'claims',
      'events',
      'groups',
      'rotations',
      'rules',
    ]) {
      await page.goto(`/console/w/acme/${name}`)
      await compare(page, `empty-${name.replace('?tab=', '-') || 'overview'}`)
    }
    assertClean()
  })

  test('is the stored one in a workspace that has something', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'keys', STILL)
    const template = await make('device-templates', {
      model_key: 'lamp',
      name: 'Lamp',
      serial_format: 'L-%#f',
    })
    const tags = { floor: 'ground' }
    const named = { device_key: 'lamp-1', name: 'Hall', template_id: template.id, tags }
    const device = await make('devices', named)
    await make('api-keys', { key_kind: 'provision', name: 'Line 1' })
    await make('invitations', { email: 'grace@example.com', role: 'viewer' })
    await make('webhooks', { url: 'https://example.com/hook', types: ['device.*'] })
    await make('domains', { name: 'devices.example.com', purpose: 'mqtt' })
    const group = await make('device-groups', { name: 'Hall' })
    for (const name of [
      'devices',
      'devices/new',
      'templates',
      'keys',
      'people',
      'audit',
      'domains',
      'events',
      'groups',
      'webhooks',
    ]) {
      await page.goto(`/console/w/acme/${name}`)
      await compare(page, name.replace('/', '-'))
    }
    await page.goto(`/console/w/acme/groups/${String(group.id)}`)
    await compare(page, 'group')
    for (const tab of ['now', 'config', 'commands', 'credentials', 'rules', 'notes', 'settings']) {
      await page.goto(`/console/w/acme/devices/${String(device.id)}?tab=${tab}`)
      await compare(page, `device-${tab}`)
    }
    await page.goto(`/console/w/acme/templates/${String(template.id)}`)
    await compare(page, 'template')
    await page.goto('/console/w/acme/usage?by=month')
    await compare(page, 'usage', { steady: steadyFigures })
    await speakGerman(page)
    await page.goto('/console/w/acme/devices')
    await compare(page, 'german-devices', { part: 'body' })
    await page.goto(`/console/w/acme/devices/${String(device.id)}`)
    await compare(page, 'german-device')
    assertClean()
  })

  test('is the stored one for an operator of the installation', async (t) => {
    const { page, assertClean } = await openAsOperator(t, { environment: STILL })
    await page.goto('/console/installation')
    await hideParts(page, 'What to do', 'Latest warnings and errors')
    await compare(page, 'installation-health', { steady: steadyFigures })
    // Not accounts and workspaces: they stand in the order of names, which are random here.
    for (const name of [
      'audit',
      'brokers',
      'invitations',
      'invoices',
      'mails',
      // All of them change with each variable, and with what runs now.
      'settings?set=yes',
      'tasks?status=failed',
    ]) {
      await page.goto(`/console/installation/${name}`)
      await compare(page, `installation-${name.replace(/\?.*/, '')}`)
    }
    assertClean()
  })

  test('is the stored one for an account and for the samples of the components', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'devices')
    for (const path of ['account', 'account/security', 'kit']) {
      if (path === 'kit') await showSamples(t, page)
      await page.goto(`/console/${path}`)
      await compare(page, path.replace('/', '-'))
    }
    assertClean()
  })
})
