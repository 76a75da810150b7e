/**
 * The manifests of Kubernetes are valid, and are what the Helm chart renders. To write them again
 * after a change of the chart: MOORING_TEST_SNAPSHOTS=write.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/platform/config/config.ts'
import { ROOT } from '../support/sources.ts'
import { Chart } from './helm-template.ts'
import { wrongIn } from './kubernetes-types.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- manifests are read freely
type Manifest = any

const file = join(ROOT, 'deploy/kubernetes/mooring.yaml')
const HEAD = '# Rendered from deploy/helm/mooring with its values.yaml.\n'
const rendered = new Chart(join(ROOT, 'deploy/helm/mooring'), 'mooring').render()
const text = `${HEAD}${rendered.join('\n---\n')}\n`
if (process.env.MOORING_TEST_SNAPSHOTS === 'write') writeFileSync(file, text)

const manifests = (source: string): Manifest[] =>
  parseAllDocuments(source).map((each) => {
    assert.deepEqual(each.errors, [])
    return each.toJS()
  })
const committed = manifests(readFileSync(file, 'utf8'))
const find = (kind: string): Manifest => committed.find((each) => each.kind === kind)

test('the manifests are those of the chart', () => {
  assert.deepEqual(committed, manifests(text))
})

test('the manifests have the published types of Kubernetes', () => {
  assert.deepEqual(committed.flatMap(wrongIn), [])
  assert.equal(committed.length, 7)
})

test('the check finds a wrong name, a wrong type, a missing member and a wrong choice', () => {
  const spec = {
    selector: { matchLabels: { a: 'b' } },
    replicas: '3',
    template: { spec: { containers: [{ image: 'x', imagePullPolicy: 'Often', volumeMount: [] }] } },
  }
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', spec }
  const place = 'apps/v1/Deployment/spec'
  assert.deepEqual(wrongIn(deployment), [
    `${place}/replicas must be a number`,
    `${place}/template/spec/containers/0/name is missing`,
    `${place}/template/spec/containers/0/imagePullPolicy must be one of =Always|IfNotPresent|Never`,
    `${place}/template/spec/containers/0/volumeMount is unknown`,
  ])
})

test('pods run without privileges, and their names and ports lead to each other', () => {
  const { spec } = find('Deployment')
  const [container] = spec.template.spec.containers
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  assert.equal(spec.template.spec.securityContext.runAsNonRoot, true)
  const { matchLabels } = spec.selector
  const { labels } = spec.template.metadata
  for (const [name, value] of Object.entries(matchLabels)) assert.equal(labels[name], value)
  const services = committed.filter((each) => each.kind === 'Service')
  for (const { spec: service } of services) assert.deepEqual(service.selector, matchLabels)
  for (const each of ['PodDisruptionBudget', 'NetworkPolicy']) {
    const { selector, podSelector } = find(each).spec
    assert.deepEqual((selector ?? podSelector).matchLabels, matchLabels, each)
  }
  const ports: string[] = container.ports.map(({ name }: { name: string }) => name)
  const used = [
    ...services.flatMap((each) => each.spec.ports.map((port: Manifest) => port.targetPort)),
    ...find('NetworkPolicy').spec.ingress.flatMap((each: Manifest) =>
      each.ports.map(({ port }: { port: string }) => port),
    ),
    ...['startupProbe', 'readinessProbe', 'livenessProbe'].map(
      (probe) => container[probe].httpGet.port,
    ),
  ]
  assert.deepEqual(new Set(used), new Set(ports))
  // A disruption leaves as many as the budget asks for.
  assert.ok(find('PodDisruptionBudget').spec.minAvailable < spec.replicas)
})

test('the service accepts the variables of the deployment', () => {
  const { env } = find('Deployment').spec.template.spec.containers[0]
  const given = Object.fromEntries(env.map((each: Manifest) => [each.name, each.value]))
  const config = readConfig(given)
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8'])
  assert.equal(config.embeddedBroker, 'off')
})

test('the chart has the version of the service', () => {
  const { appVersion } = parse(readFileSync(join(ROOT, 'deploy/helm/mooring/Chart.yaml'), 'utf8'))
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  assert.equal(appVersion, version)
})
