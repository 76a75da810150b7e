/** The licences of what is delivered: of the packages that npm installs, and of the console. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundledPackages } from '../../packaging/console.ts'
import { allowedLicenses, licensesOf } from '../../packaging/licenses.ts'
import type { Lock } from '../../packaging/lock.ts'
import { ROOT } from '../support/sources.ts'

const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock

test('every package that is installed with the service has an allowed licence', () => {
  const packages = licensesOf(lock)
  assert.ok(packages.length > 100)
  const refused = packages.filter(({ license }) => !allowedLicenses.has(license ?? 'none'))
  assert.deepEqual(refused, [])
})

test('every allowed licence is in use, so that the list says what is delivered', () => {
  const bundled = JSON.parse(readFileSync(join(ROOT, 'console/package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const used = new Set(licensesOf(lock).map(({ license }) => license))
  for (const name of Object.keys(bundled.devDependencies)) {
    used.add(lock.packages[`node_modules/${name}`]?.license)
  }
  assert.deepEqual(
    [...allowedLicenses].filter((each) => !used.has(each)),
    [],
  )
})

const skip =
  !existsSync(join(ROOT, 'console/dist/.vite/licenses.json')) && 'the console has not been built'

test('every package inside the console has an allowed licence, and its text', { skip }, () => {
  const packages = bundledPackages(ROOT)
  for (const expected of ['react', '@base-ui/react', '@fontsource-variable/inter']) {
    assert.ok(
      packages.some(({ name }) => name === expected),
      expected,
    )
  }
  for (const { name, identifier, text } of packages) {
    assert.ok(allowedLicenses.has(identifier ?? 'none'), `${name}: ${identifier}`)
    assert.ok((text?.length ?? 0) > 300, `${name} has the text of its licence`)
  }
})
