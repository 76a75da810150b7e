/**
 * Helm itself renders what the tests' own renderer does, and the published validators of Kubernetes
 * accept it. `MOORING_TEST_KUBERNETES` is a folder with the program `helm` and `node_modules` with
 * kubernetes-models, which `.ci/run` fetches. After another version of that:
 * MOORING_TEST_SNAPSHOTS=write.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { defer } from '../support/cleanup.ts'
import { ROOT } from '../support/sources.ts'
import { readTypes } from './kubernetes-declarations.ts'
import { typesFile, type Types } from './kubernetes-types.ts'

const folder = process.env.MOORING_TEST_KUBERNETES ?? ''
const skip = folder === '' && 'needs MOORING_TEST_KUBERNETES'
const run = promisify(execFile)
const chart = join(ROOT, 'deploy/helm/mooring')

interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  spec: Record<string, unknown>
}

const inOrder = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((each): Manifest => each.toJS())
    .toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
const idOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  `${apiVersion}/${kind} ${metadata.name}`

const committed = inOrder(readFileSync(join(ROOT, 'deploy/kubernetes/mooring.yaml'), 'utf8'))

const helm = async (...args: string[]): Promise<string> =>
  (await run(join(folder, 'helm'), args, { env: { HOME: folder } })).stdout

const template = async (...options: string[]): Promise<Manifest[]> =>
  inOrder(await helm('template', 'mooring', chart, ...options))

interface Model {
  /** @throws an error that names what is wrong */
  validate(): void
}
type Models = Record<string, new (manifest: object) => Model>

/** Compiled from the schemas in the OpenAPI document of Kubernetes. */
async function validate(manifest: Manifest): Promise<void> {
  const { apiVersion, kind } = manifest
  const path = join(folder, 'node_modules/kubernetes-models', apiVersion, `${kind}.js`)
  const { [kind]: Kind } = (await import(pathToFileURL(path).href)) as Models
  assert.ok(Kind, path)
  new Kind(manifest).validate()
}

describe('the chart', { skip }, () => {
  test('has no complaint of Helm, and its manifests are what Helm renders', async () => {
    assert.match(
      await helm('lint', '--strict', chart),
      /^1 chart\(s\) linted, 0 chart\(s\) failed$/m,
    )
    assert.deepEqual(await template(), committed)
  })

  test('takes other values, which stay texts', async (t) => {
    const own = await mkdtemp(join(tmpdir(), 'mooring-values-'))
    defer(t, () => rm(own, { recursive: true, force: true }))
    const values = {
      image: { tag: '1.2' },
      networkPolicy: { enabled: false },
      environment: { MOORING_LOG_PRIORITY: 'on', MOORING_DATABASE_POOL_SIZE: 20 },
    }
    const file = join(own, 'values.json')
    writeFileSync(file, JSON.stringify(values))
    const rendered = await template('--values', file)
    assert.ok(!rendered.some(({ kind }) => kind === 'NetworkPolicy'))
    const text = JSON.stringify(rendered.find(({ kind }) => kind === 'Deployment'))
    assert.match(text, /"image":"mooring:1\.2"/)
    assert.match(text, /\{"name":"MOORING_LOG_PRIORITY","value":"on"\}/)
    assert.match(text, /\{"name":"MOORING_DATABASE_POOL_SIZE","value":"20"\}/)
    for (const manifest of rendered) await validate(manifest)
  })

  test('renders what the published schemas of Kubernetes accept', async () => {
    assert.equal(committed.length, 7)
    for (const manifest of committed) await validate(manifest)
    const [wrong] = committed.filter(({ kind }) => kind === 'Deployment')
    assert.ok(wrong)
    const spec = { ...wrong.spec, replicas: 'three' }
    await assert.rejects(validate({ ...wrong, spec }), /replicas/)
  })
})

test('the types of Kubernetes that other tests use are the published ones', { skip }, () => {
  const before = JSON.parse(readFileSync(typesFile, 'utf8')) as Types
  const types = readTypes(join(folder, 'node_modules'), Object.keys(before.kinds))
  if (process.env.MOORING_TEST_SNAPSHOTS === 'write') {
    writeFileSync(typesFile, `${JSON.stringify(types, null, 2)}\n`)
  }
  assert.deepEqual(before, types)
})
