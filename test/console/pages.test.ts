/** The laws for the pages of the console without a browser. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  installationPlaces,
  ownPlaces,
  payPlaces,
  publicPlaces,
  routesOfConsole,
  samplePlaces,
} from '../support/console-places.ts'
import { ROOT } from '../support/sources.ts'

test('every route of the console is among the pages that the browser tests visit', () => {
  const places = [
    ...publicPlaces,
    ...ownPlaces,
    ...payPlaces,
    ...installationPlaces,
    ...samplePlaces,
  ]
  const visited = new Set(places.map(({ route }) => route))
  const routes = routesOfConsole()
  assert.ok(routes.includes('/pay/invoice'), 'with the payment document')
  const missing = routes.filter((route) => !visited.has(route))
  assert.deepEqual(missing, [])
  assert.ok(visited.size >= 25)
})

test('every tab of a page is among them, too', () => {
  const tabs = ownPlaces.filter(({ path }) => {
    const made = {
      account: 'a',
      campaign: 'c',
      device: 'd',
      domain: 'n',
      group: 'g',
      invoice: 'i',
      job: 'j',
      key: 'k',
      login: 'l',
      template: 't',
      webhook: 'w',
      workspace: 's',
    }
    return path('acme', made).includes('?tab=')
  })
  assert.ok(tabs.length >= 10, 'the tabs of devices and templates')
})

test('pages have no styles and no requests of their own', () => {
  const folder = join(ROOT, 'console/src/pages')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const found = files.filter(
    (file) =>
      file.endsWith('.css') ||
      (file.endsWith('.tsx') && /\bfetch\(/.test(readFileSync(join(folder, file), 'utf8'))),
  )
  assert.deepEqual(found, [])
})
