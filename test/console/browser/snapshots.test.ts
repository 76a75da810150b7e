/**
 * What the main pages say, as assistive programs read it: roles, names, texts. Kept as text in
 * `snapshots`. After a wanted change, `MOORING_TEST_SNAPSHOTS=write` writes them again.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, openPage, skip, startConsole } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'

const FOLDER = join(import.meta.dirname, 'snapshots')
const isWriting = process.env.MOORING_TEST_SNAPSHOTS === 'write'

/** What differs from run to run. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b(ws|dev|acc|usr|tpl|key|job|inv|ses|grp|dom|whk)_[\w…]+/g, '$1_…'],
  [/\bShow (entry|[a-z_]+\.[a-z_]+) [0-9a-z]{6}\b/g, 'Show $1 ID'],
  [/127\.0\.0\.1 \d+/g, 'HOST PORT'],
  [/127\.0\.0\.1:\d+|localhost:\d+/g, 'HOST'],
  [/(cell|code:) "\d{4,5}"/g, '$1 PORT'],
  [/\b\d+ (s|min|h|d) ago\b|\bjust now\b|\bnow\b(?=$|")/gm, 'A MOMENT AGO'],
  [/\bin \d+ (s|min|h|d)\b/g, 'SOON'],
  [/\btrace [0-9a-f]{32}\b/gi, 'TRACE'],
  [/\b(service_|mk_|mp\w?_|service_pk…?)[\w…]+/g, '$1…'],
  [/HeadlessChrome\/[\d.]+|Chrom(?:e|ium) \d[\d.]*/g, 'BROWSER'],
]

/** Nothing happens by itself. */
const STILL = { MOORING_AUDIT_ANCHOR_INTERVAL_S: '0' }

const steady = (text: string): string =>
  VARYING.reduce((present, [pattern, by]) => present.replaceAll(pattern, by), text)

const TRIES = 40
const PAUSE_MS = 250

async function said(page: Page, part: string): Promise<string> {
  await page.locator('h1').first().waitFor()
  return `${steady(await page.locator(part).ariaSnapshot())}\n`
}

/** Compares the page with what is kept, once it has read everything; or keeps what it says. */
async function compare(page: Page, name: string, part = 'main'): Promise<void> {
  const file = join(FOLDER, `${name}.yaml`)
  const kept = isWriting ? undefined : readFileSync(file, 'utf8')
  let present = await said(page, part)
  let before = ''
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (isWriting ? present === before : present === kept) break
    await page.waitForTimeout(PAUSE_MS)
    before = present
    present = await said(page, part)
  }
  if (isWriting) {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, present)
  } else {
    assert.equal(present, kept, `${name}: MOORING_TEST_SNAPSHOTS=write keeps what it says now`)
  }
}

suite('what pages say', { skip }, () => {
  test('to somebody who is not signed in', async (t) => {
    const { page } = await openPage(t, await openBrowser(t), await startConsole(t))
    for (const [name, path] of [
      ['sign-in', 'sign-in'],
      ['forgot', 'forgot'],
      ['set-up', 'setup'],
    ] as const) {
      await page.goto(`/console/${path}`)
      await compare(page, name, 'body')
    }
    await page.evaluate(() => localStorage.setItem('mooring-language', 'de'))
    await page.goto('/console/sign-in')
    await compare(page, 'german-sign-in', 'body')
    await page.getByLabel('E-Mail').fill('nobody@example.com')
    await page.getByLabel('Passwort', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await compare(page, 'german-refusal', '[role="alert"]')
  })

  test('in a workspace in which nothing is yet', async (t) => {
    const { page } = await openAsOwner(t, 'devices', STILL)
    await compare(page, 'frame', 'nav[aria-label="Main"]')
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
  })

  test('in a workspace that has something', async (t) => {
    const { page, make } = await openAsOwner(t, 'keys', STILL)
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
  })

  test('of an account, and of the kit', async (t) => {
    const { page } = await openAsOwner(t, 'devices')
    for (const path of ['account', 'account/security', 'kit']) {
      await page.goto(`/console/${path}`)
      await compare(page, path.replace('/', '-'))
    }
  })
})
