/** The code that the program of a checkout runs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { ROOT } from '../support/sources.ts'

interface Checkout {
  /** Writes a program that prints its name. */
  write: (path: string, secondsLater?: number) => void
  /** @returns which program has run */
  run: () => string
  remove: (path: string) => void
}

function makeCheckout(t: TestContext): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-checkout-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const write = (path: string, secondsLater = 0): void => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `console.log('${path}')\n`)
    const time = new Date(Date.now() + secondsLater * 1_000)
    for (const each of [file, dirname(file)]) utimesSync(each, time, time)
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  mkdirSync(join(folder, 'packaging'))
  cpSync(join(ROOT, 'packaging/start.ts'), join(folder, 'packaging/start.ts'))
  const options = { cwd: tmpdir(), encoding: 'utf8' } as const
  return {
    write,
    run: () => execFileSync(process.execPath, [join(folder, 'packaging/start.ts')], options).trim(),
    remove: (path) => rmSync(join(folder, path)),
  }
}

suite('the program of a checkout', () => {
  test('is the bundle, and the sources once one of them is newer', (t) => {
    const { write, run } = makeCheckout(t)
    write('src/main.ts')
    write('src/app/app.ts')
    assert.equal(run(), 'src/main.ts', 'without a bundle')
    write('dist/service/main.js', 10)
    assert.equal(run(), 'dist/service/main.js')
    write('src/app/app.ts', 20)
    assert.equal(run(), 'src/main.ts')
    write('dist/service/main.js', 30)
    assert.equal(run(), 'dist/service/main.js')
    write('package-lock.json', 40)
    assert.equal(run(), 'src/main.ts', 'with other packages')
  })

  test('is the sources once one of them is gone', (t) => {
    const { write, run, remove } = makeCheckout(t)
    write('src/main.ts', -20)
    write('src/context.ts', -20)
    write('dist/service/main.js', -10)
    assert.equal(run(), 'dist/service/main.js')
    remove('src/context.ts')
    assert.equal(run(), 'src/main.ts')
  })
})
