/**
 * The steps of a phone: they work as they are written, and the programs in other languages and the
 * page about claims have the same ones.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { as } from '../support/app.ts'
import { ROOT } from '../support/sources.ts'
import { useApp } from '../support/suite-app.ts'

interface Step {
  name: string
  by: 'phone' | 'device'
  method: string
  path: string
  body?: Record<string, string>
  status: number
  /** Paths into the response, and what is there. */
  expects?: Record<string, unknown>
  /** Variables, and the member of the response that each gets. */
  keeps?: Record<string, string>
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const { steps } = JSON.parse(read('examples/phone/steps.json')) as { steps: Step[] }

type Variables = Record<string, string>

const fill = (text: string, variables: Variables): string =>
  text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = variables[name]
    assert.ok(value, `no step has kept ${name}`)
    return value
  })

const memberOf = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Variables | undefined)?.[name], body)

describe('the steps of a phone', () => {
  const getApp = useApp()

  test('work one after another', async () => {
    const { call, seed } = getApp()
    const { body: device } = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body: { template_id: seed.template.id, hardware_id: 'phone-steps' },
    })
    const variables: Variables = { workspace_id: seed.id }
    for (const step of steps) {
      const token = step.by === 'device' ? device.device_http_token : variables['access_token']
      const isOwn = step.path === '/moid/refresh' || token === undefined
      const { status, body, text } = await call(step.method, fill(step.path, variables), {
        ...(!isOwn && { as: as.bearer(token) }),
        ...(step.body && { body: JSON.parse(fill(JSON.stringify(step.body), variables)) }),
      })
      assert.equal(status, step.status, `${step.name}: ${text}`)
      for (const [path, value] of Object.entries(step.expects ?? {})) {
        assert.deepEqual(memberOf(body, path), value, `${step.name}: ${path}`)
      }
      for (const [name, path] of Object.entries(step.keeps ?? {})) {
        variables[name] = String(memberOf(body, path))
      }
    }
  })
})

/** Method, path and members of the body; places to fill in are `{}`. */
const signature = (method: string, path: string, members: readonly string[]): string =>
  [method, path.replaceAll(/\$\w+|\\\(\w+\)|\{\w+\}/g, '{}'), ...members].join(' ')

/** The calls in a program: `call("POST", "/path", …)`, in quotes of either kind. */
function callsOf(text: string): string[] {
  const call = /(?<![a-z])call\(\s*(["'])([A-Z]+)\1,\s*\1([^"'\n]+)\1([^\n]*)/g
  return [...text.matchAll(call)].map(([, , method = '', path = '', rest = '']) => {
    const members = [...rest.matchAll(/["'](\w+)["'](?=:| to)/g)].map(([, name = '']) => name)
    return signature(method, path, members)
  })
}

for (const name of ['Phone.kt', 'Phone.swift', 'phone.dart']) {
  test(`${name} has the steps of the phone, in their order`, () => {
    assert.deepEqual(
      callsOf(read(`examples/phone/${name}`)),
      steps
        .filter(({ by }) => by === 'phone')
        .map(({ method, path, body = {} }) => signature(method, path, Object.keys(body))),
    )
  })
}

test('the page about claims has all steps, in their order', () => {
  const [, table = ''] = /^## Step by step\n([\s\S]*?)^## /m.exec(read('docs/claims.md')) ?? []
  const rows = [...table.matchAll(/^\| (phone|device) \| `([A-Z]+) ([^`]+)` \| ([^|]*) \|/gm)]
  assert.deepEqual(
    rows.map(([, by, method, path, name]) => [by, method, path, name]),
    steps.map(({ by, method, path, name }) => [by, method, path, name]),
  )
})
