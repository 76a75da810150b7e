/** The code that the console's wizard shows: it runs, or compiles, as it is shown. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { codeSamples, type DeviceLogin } from '../../console/src/api/device-code.ts'
import { type Program, startProgram } from '../adapters/broker/start-program.ts'
import { as, type TestApp } from '../support/app.ts'
import { defer } from '../support/cleanup.ts'
import { connectDevice } from '../support/mqtt.ts'
import { useApp } from '../support/suite-app.ts'
import { until } from '../support/until.ts'
import { checkSyntax, SKIPPED, startMicroPython } from './programs.ts'

/** How each is run, in a folder that has its text as the file `program`. */
const RUN: Readonly<Record<string, (text: string, folder: string) => Program>> = {
  mosquitto: (text) => startProgram('/bin/bash', ['-e', '-c', text]),
  // Without a buffer for what it prints.
  Python: (text) => startProgram('/usr/bin/python3', ['-u', '-c', text]),
  // Its packages are those of the repository.
  Node: (text) => startProgram(process.execPath, ['--input-type=module', '-e', text]),
  MicroPython: (_text, folder) => startMicroPython(join(folder, 'program'), folder),
}

const COMPILE: Readonly<Record<string, ['gcc' | 'g++', string]>> = {
  'ESP-IDF': ['gcc', 'esp-idf'],
  Arduino: ['g++', 'arduino'],
  Zephyr: ['gcc', 'zephyr'],
}

async function makeDevice({ call, seed, origin }: TestApp): Promise<DeviceLogin & { id: string }> {
  const { status, body, text } = await call('POST', `/workspaces/${seed.id}/devices`, {
    as: as.platformKey(seed.platformKey),
    body: { template_id: seed.template.id },
  })
  assert.equal(status, 201, text)
  const mqtt = body.mqtt_credentials
  return {
    id: body.id,
    host: mqtt.mqtt_host,
    port: mqtt.mqtt_port,
    tls: mqtt.mqtt_tls,
    username: mqtt.mqtt_username,
    password: mqtt.mqtt_password,
    clientId: mqtt.client_id,
    topicPrefix: mqtt.topic_prefix.replace(/\/$/, ''),
    origin,
    httpToken: body.device_http_token,
  }
}

const textOf = (login: DeviceLogin, name: string): string =>
  codeSamples(login).find((each) => each.name === name)?.text ?? ''

describe('code of the wizard', { skip: SKIPPED }, () => {
  const getApp = useApp()
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'mooring-wizard-'))))
  after(() => rmSync(folder, { recursive: true }))

  async function start(t: TestContext, name: string) {
    const login = await makeDevice(getApp())
    const text = textOf(login, name)
    writeFileSync(join(folder, 'program'), text)
    const program = RUN[name]?.(text, folder)
    defer(t, () => program?.stop('SIGKILL'))
    return { login, program }
  }

  const read = async (path: string) => {
    const { call, seed } = getApp()
    const caller = as.platformKey(seed.platformKey)
    return call('GET', `/workspaces/${seed.id}/devices/${path}`, { as: caller })
  }

  async function acknowledges(name: string, deviceId: string): Promise<void> {
    const { call, seed } = getApp()
    const path = `/workspaces/${seed.id}/devices/${deviceId}/commands`
    const body = { name: 'identify', payload: { seconds: 3 } }
    const sent = await call('POST', path, { as: as.platformKey(seed.platformKey), body })
    assert.equal(sent.status, 201, sent.text)
    await until(`an acknowledgement from ${name}`, async () => {
      const { items } = (await read(`${deviceId}/commands`)).body
      return items[0].status === 'acknowledged'
    })
  }

  async function connects(t: TestContext, name: string): Promise<void> {
    const { login, program } = await start(t, name)
    await until(`a state from ${name}`, async () => {
      const { exitCode } = program?.child ?? {}
      if (exitCode) throw new Error(program?.output())
      const { status, body } = await read(`${login.id}/state`)
      return status === 200 && body.state.on === true && body.state.temperature === 21.5
    })
    // A shell cannot read JSON: its code says how to acknowledge.
    if (name !== 'mosquitto') await acknowledges(name, login.id)
  }

  for (const name of Object.keys(RUN)) {
    test(`${name} connects, publishes a state and acknowledges a command`, (t) => connects(t, name))
  }

  for (const [name, why] of Object.entries({
    Node: 'disconnected, reason 142',
    Python: 'disconnected',
  })) {
    test(`${name} says that its connection was taken by another client`, async (t) => {
      const { login, program } = await start(t, name)
      const prints = (text: string) =>
        until(`${name} prints ${text}`, () => program?.output().includes(text))
      await prints('connected')
      const { id: device_id, clientId, password: mqtt_password, port: mqtt_port } = login
      await connectDevice(t, { device_id, mqtt_password, mqtt_port }, { clientId })
      await prints(`disconnected`)
      await prints(why)
    })
  }

  for (const [name, [compiler, headers]] of Object.entries(COMPILE)) {
    for (const tls of [false, true]) {
      test(`${name} compiles ${tls ? 'with' : 'without'} TLS`, async () => {
        const login = { ...(await makeDevice(getApp())), tls }
        const path = join(folder, `${headers}-${tls}`)
        writeFileSync(path, textOf(login, name))
        await checkSyntax(compiler, headers, path)
      })
    }
  }

  test('curl reads what a device may read', async (t) => {
    const app = getApp()
    const login = await makeDevice(app)
    // Without waiting for commands.
    const text = textOf(login, 'curl').replace('wait=30', 'wait=0').replaceAll('curl ', 'curl -sf ')
    const program = startProgram('/bin/bash', ['-e', '-c', text])
    defer(t, () => program.stop('SIGKILL'))
    await until('the end of curl', () => program.child.exitCode !== null)
    for (const part of [`"device_id":"${login.id}"`, '"config":{}', '"items":[]']) {
      assert.ok(program.output().includes(part), program.output())
    }
  })
})
