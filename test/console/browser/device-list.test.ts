/** The list of devices, where there are many of them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { budget } from '../../../console/budget.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { until } from '../../support/until.ts'

const PAGE = 100
const SHOWN = 2_000

/** After a collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

/** The requests of a page about devices that pass a filter, and their responses, in order. */
function watchFilter(page: Page, filter: string): string[] {
  const seen: string[] = []
  const note = (what: string, url: string): void => {
    const { pathname, searchParams } = new URL(url)
    if (searchParams.get('filter') === filter) seen.push(`${what} ${pathname.split('/').at(-1)}`)
  }
  page.on('request', (request) => note('asked', request.url()))
  page.on('requestfinished', (request) => note('received', request.url()))
  return seen
}

/**
 * Holds back the next read of a page of the list: the first one, or a further one.
 * @returns waits until the page asks for it
 */
async function hold(page: Page, isFirst: boolean): Promise<() => Promise<Route>> {
  const held = Promise.withResolvers<Route>()
  const matches = ({ pathname, searchParams }: URL): boolean =>
    pathname.endsWith('/devices') && searchParams.has('cursor') !== isFirst
  await page.route(matches, held.resolve, { times: 1 })
  return () => held.promise
}

/** A job that rotates names the other way to do that, with the same filter; then chooses a tag. */
async function seesWaves(dialog: Locator): Promise<void> {
  await dialog.getByLabel('What to do').selectOption({ label: 'Rotate' })
  await dialog.getByText('a rotation asks in waves').waitFor()
  const inWaves = await dialog.getByRole('link', { name: 'Rotations' }).getAttribute('href')
  assert.match(String(inWaves), /rotations\?dialog=new&filter=device_key.+lamp/)
  await dialog.getByLabel('What to do').selectOption({ label: 'Set a tag' })
  await dialog.getByText('Devices that have this tag get the new value.').waitFor()
}

suite('the list of devices in the browser', { skip }, () => {
  test('two thousand rows stay within their memory, and each of them can be chosen', async (t) => {
    const { page, send, assertClean } = await openAsOwner(t, 'devices')
    const rows = Array.from({ length: SHOWN }, (_, at) => `{"device_key":"lamp-${at}"}\n`)
    await send('devices/import', rows.join(''))
    await page.reload()
    const more = page.getByRole('button', { name: 'Show more' })
    for (let shown = PAGE; shown < SHOWN; shown += PAGE) {
      await page.getByText(`${shown.toLocaleString('en')} shown`).waitFor()
      await more.click()
    }
    await more.waitFor({ state: 'detached' })
    const rowsShown = page.locator('main tbody tr')
    await until('the last page', async () => (await rowsShown.count()) === SHOWN)
    // While a page is read again, its rows are there twice.
    await until('the memory of the rows', async () => (await heapOf(page)) <= budget.rows)
    const boxes = page.locator('main tbody input')
    await boxes.nth(SHOWN - 1).click()
    await boxes.nth(3).click()
    await page.getByText('2 selected').waitFor()
    await boxes.nth(SHOWN - 1).click()
    await page.getByText('1 selected').waitFor()
    assertClean()
  })

  test('words without an operator find devices by their name or key', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('devices', { device_key: 'p-1', name: 'Pump one, hall 3' })
    await make('devices', { device_key: 'p-2', name: 'Pump two' })
    await page.reload()
    await page.getByRole('link', { name: 'Pump two' }).waitFor()
    const editor = page.getByRole('combobox', { name: 'Filter of devices' })
    for (const words of ['pump one', 'Pump one, hall', 'p-1x']) {
      await editor.fill(words)
      await editor.press('Enter')
      await page.getByRole('link', { name: 'Pump two' }).waitFor({ state: 'detached' })
      const isFound = words !== 'p-1x'
      if (isFound) await page.getByRole('link', { name: 'Pump one, hall 3' }).waitFor()
      else await page.getByRole('heading', { name: 'No device passes this filter' }).waitFor()
      await editor.fill('')
      await editor.press('Enter')
      await page.getByRole('link', { name: 'Pump two' }).waitFor()
    }
    await editor.fill('status active')
    await editor.press('Enter')
    await page.getByText('The filter cannot be read').waitFor()
    assertClean()
  })

  test('a further page and new rows both arrive, whichever is asked for first', async (t) => {
    const { page, make, send, assertClean } = await openAsOwner(t, 'devices')
    const rows = Array.from({ length: 250 }, (_, at) => `{"device_key":"lamp-${at}"}\n`)
    await send('devices/import', rows.join(''))
    const stream = page.waitForResponse((response) =>
      new URL(response.url()).pathname.endsWith('/live'),
    )
    let latest = performance.now()
    page.on('request', () => (latest = performance.now()))
    page.on('requestfinished', () => (latest = performance.now()))
    await page.reload()
    await stream
    const more = page.getByRole('button', { name: 'Show more' })
    const shown = page.locator('main tbody tr')
    await page.getByText('100 shown').waitFor()
    // Once the stream is open, the page reads all again. If it still does so when a further page is
    // asked for, it waits for that page before it reads anything else, and the page is held here.
    await until('the reads after the stream was opened', async () => {
      return performance.now() - latest > 1_500
    })

    const further = await hold(page, false)
    await more.click()
    const second = await further()
    // The hint that makes the page count again makes it read the list again, too.
    const counted = page.waitForRequest(/devices\/count/)
    await make('devices', { device_key: 'th-1' })
    await counted
    await second.continue()
    await until('the second page', async () => (await shown.count()) === 200)
    await page.getByRole('button', { name: '1 new' }).waitFor()

    const first = await hold(page, true)
    await make('devices', { device_key: 'th-2' })
    const again = await first()
    await more.click()
    await until('the third page', async () => (await shown.count()) === 250)
    await page.getByRole('button', { name: '2 new' }).waitFor()
    await again.abort().catch(() => {})
    assertClean()
  })

  test('on a phone a device begins with its name, and its state is at the end of that line', async (t) => {
    const phone = { viewport: { width: 390, height: 844 } }
    const { page, make, assertClean } = await openAsOwner(t, 'devices', {}, phone)
    const tags = { building: 'harbour-warehouse-east', floor: 'ground', line: 'cooling-2' }
    await make('devices', { device_key: 'boiler-001', name: 'Laundry boiler', tags })
    await make('devices', { device_key: 'lamp-1' })
    // The list is then read as a whole: no row comes while the places of texts are compared.
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'Laundry boiler' })
    const boxOf = async (text: string) => {
      const box = await row.getByText(text, { exact: true }).boundingBox()
      return box ?? { x: 0, y: 0, width: 0, height: 0 }
    }
    await row.waitFor()
    const [title, key, state] = [
      await boxOf('Laundry boiler'),
      await boxOf('boiler-001'),
      await boxOf('Registered'),
    ]
    assert.ok(title.y < key.y, 'the key is below')
    assert.ok(Math.abs(state.y - title.y) < 12, 'the state is in the line of the name')
    assert.ok(state.x + state.width > 340, 'at its end')
    const lines = (await row.getByText('harbour-warehouse-east').boundingBox())?.height ?? 0
    assert.ok(lines > 30, 'its tags wrap')
    await assertAccessible(page)
    assertClean()
  })

  test('devices that pass a filter are counted once they are shown', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    for (const device_key of ['lamp-1', 'lamp-2', 'th-1']) await make('devices', { device_key })
    await page.reload()
    const good = watchFilter(page, 'device_key = "lamp*"')
    const bad = watchFilter(page, 'device_key =')
    const filter = page.getByRole('combobox', { name: 'Filter of devices' })
    await filter.fill('device_key = "lamp*"')
    await filter.press('Enter')
    await page.getByText('2 of 3').waitFor()
    // A hint may make the page read the list once more in between.
    const [received, asked] = ['received devices', 'asked count'].map((each) => good.indexOf(each))
    assert.ok(Number(received) >= 0 && Number(asked) > Number(received), good.join())
    await filter.fill('device_key =')
    await filter.press('Escape')
    await filter.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'at its end' }).first().waitFor()
    assert.ok(bad.includes('asked devices') && !bad.includes('asked count'), bad.join())
    assertClean()
  })

  test('all devices that match are changed by a job, also those that are not shown', async (t) => {
    const opened = await openAsOwner(t, 'devices')
    const { page, make, send, call, headers, workspaceId, assertClean } = opened
    const lamps = Array.from({ length: PAGE + 50 }, (_, at) => `lamp-${at}`)
    const rows = [...lamps, 'th-1', 'th-2'].map(
      (device_key) => `${JSON.stringify({ device_key })}\n`,
    )
    await send('devices/import', rows.join(''))
    const filter = page.getByRole('combobox', { name: 'Filter of devices' })
    const find = async (text: string): Promise<void> => {
      await filter.fill(text)
      await filter.press('Escape')
      await filter.press('Enter')
      await page.getByText('150 of 152').waitFor()
    }
    await find('device_key = "lamp-*"')
    await page.locator('main tbody input').first().click()
    await page.getByText('1 selected').waitFor()
    await page.getByRole('button', { name: 'Select all 150 that match' }).click()
    await page.getByText('All 150 that match', { exact: true }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    await seesWaves(dialog)
    await dialog.getByLabel('Tag', { exact: true }).fill('floor')
    await dialog.getByLabel('Value').fill('ground')
    await dialog.getByText('All 150 that match: the tag is set.').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Start' }).click()
    await page.waitForURL(/\/jobs\/job_/)
    await page.getByText('completed', { exact: true }).first().waitFor()
    await page.goto('/console/w/acme/devices')
    await find('tags.floor = ground')

    await make('device-templates', { model_key: 'lamp', name: 'Lamp', serial_format: 'L-%#f' })
    const change = async (what: string, fill: () => Promise<unknown>): Promise<void> => {
      await page.locator('main tbody input').first().click()
      await page.getByRole('button', { name: 'Select all 150 that match' }).click()
      await page.getByRole('button', { name: 'Change…' }).click()
      await dialog.getByLabel('What to do').selectOption({ label: what })
      await fill()
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Start' }).click()
      await page.waitForURL(/\/jobs\/job_/)
      await page.getByText('completed', { exact: true }).first().waitFor()
      await page.goto('/console/w/acme/devices')
    }
    await change('Move to a template', () =>
      dialog.getByLabel('Template').selectOption({ label: 'Lamp' }),
    )
    await find('device_key = "lamp-*" AND tags.floor = ground')
    await page.getByRole('row').nth(1).getByTitle('Lamp', { exact: true }).waitFor()
    await change('Send command', async () => {
      await dialog.getByLabel('Command').fill('blink')
      const seconds = dialog.getByLabel('Seconds to wait for its response')
      assert.equal(await seconds.inputValue(), '60')
      await seconds.fill('600')
    })
    const jobs = await call('GET', `/workspaces/${workspaceId}/jobs`, { headers })
    const sent = { name: 'blink', payload: {}, timeout_s: 600 }
    assert.deepEqual(jobs.body.items[0].parameters, sent)
    await find('device_key = "lamp-*" AND tags.floor = ground')
    await change('Remove a tag', () => dialog.getByLabel('Tag', { exact: true }).fill('floor'))
    await filter.fill('tags.floor = ground')
    await filter.press('Escape')
    await filter.press('Enter')
    await page.getByText('No device passes this filter').waitFor()
    assertClean()
  })

  test('a key is a link: it opens in place, or in another tab, as the browser is asked', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    const { id } = await make('devices', { device_key: 'lamp-1' })
    await page.reload()
    const link = page.getByRole('link', { name: 'lamp-1' })
    const opened = page.context().waitForEvent('page')
    await link.click({ modifiers: ['ControlOrMeta'] })
    const other = await opened
    await other.getByRole('heading', { name: 'lamp-1' }).waitFor()
    assert.ok(new URL(page.url()).pathname.endsWith('/devices'))
    await page.evaluate('globalThis.isSamePage = true')
    await link.click()
    await page.getByRole('heading', { name: 'lamp-1' }).waitFor()
    assert.ok(new URL(page.url()).pathname.endsWith(`/devices/${String(id)}`))
    assert.equal(await page.evaluate('globalThis.isSamePage'), true)
    assertClean()
  })

  test('a time says how long ago it was, keeps up with the clock, and has the exact time', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'templates')
    await make('device-templates', { name: 'Lamp', model_key: 'lamp', serial_format: 'L-%#f' })
    await page.clock.install()
    await page.reload()
    const time = page.locator('main time').first()
    // A busy machine shows the page some seconds later.
    await until('the time', async () => /^(now|\d+ s ago)$/.test(await time.innerText()))
    const at = await time.getAttribute('datetime')
    const exact = await page.evaluate(
      `new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date('${at}'))`,
    )
    assert.equal(await time.getAttribute('title'), exact)
    await page.clock.fastForward('03:05:00')
    await until('the time', async () => (await time.innerText()) === '3 h ago')
    assertClean()
  })
})
