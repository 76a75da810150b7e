/**
 * Probes of CONNECT: no one gets in without a user name, a valid secret and their own client id.
 */
import { randomBytes } from 'node:crypto'
import type { IClientOptions } from 'mqtt'
import { hookFaults } from '../../../platform/access/hook-probe.ts'
import { admitted, attempt, comesTrueSoon, loginOptions } from './client.ts'
import { fail, type Finding, pass, type ExaminedBroker, type Probe, skip } from './examination.ts'

const authentication = {
  advice:
    'Configure the broker to call its authentication hook for every client, and to refuse ' +
    'the client when the hook does.',
  topics: ['authentication'],
} as const

const text = (): string => randomBytes(12).toString('hex')

async function refuses(
  { url }: ExaminedBroker,
  cases: readonly (readonly [name: string, options: IClientOptions])[],
): Promise<Finding> {
  for (const [name, options] of cases) {
    const outcome = await attempt(url, options)
    if (!outcome.admitted) continue
    outcome.client.end()
    return fail(`${name} was admitted`)
  }
  return pass(`${cases.map(([name]) => name).join(', ')}: refused`)
}

const validLogin: Probe = {
  id: 'good_login',
  title: 'A device with its own credentials is accepted',
  advice:
    'The other findings depend on it. Check that the broker calls the hooks of this service with the secret of the brokers file.',
  topics: ['good_login'],
  async run({ url, own, neighbour, foreign }) {
    for (const login of [own, neighbour, foreign]) {
      const outcome = await attempt(url, loginOptions(login))
      if (!outcome.admitted) return fail(`a device that was just created: ${outcome.why}`)
      outcome.client.end()
    }
    return pass('three devices that were just created were accepted')
  },
}

const anonymous: Probe = {
  id: 'anonymous',
  title: 'A client without a user name is refused',
  ...authentication,
  run: (examined) =>
    refuses(examined, [
      ['no user name', { clientId: text() }],
      ['no user name but a known client id', { clientId: examined.foreign.clientId }],
      ['no user name in MQTT 5', { clientId: text(), protocolVersion: 5 }],
    ]),
}

const wrongPassword: Probe = {
  id: 'wrong_password',
  title: 'A wrong secret is refused',
  ...authentication,
  run(examined) {
    const { username, clientId } = examined.own
    return refuses(examined, [
      ['a wrong password', { username, clientId, password: text() }],
      ['an empty password', { username, clientId, password: '' }],
      ['no password', { username, clientId }],
      ['an unknown user', { username: text(), clientId: text(), password: text() }],
      ["another device's password", { username, clientId, password: examined.neighbour.password }],
      ['the user guest', { username: 'guest', clientId: text(), password: 'guest' }],
    ])
  },
}

const clientId: Probe = {
  id: 'client_id',
  title: 'A device cannot use the client id of another one',
  ...authentication,
  topics: ['client_id', 'authentication'],
  run(examined) {
    const { username, password } = examined.own
    return refuses(examined, [
      ["a neighbour's client id", { username, password, clientId: examined.neighbour.clientId }],
      ["a foreign device's", { username, password, clientId: examined.foreign.clientId }],
    ])
  },
}

const hookFailure: Probe = {
  id: 'hook_failure',
  title: 'Every client is refused while the hook hangs, fails or returns nonsense',
  ...authentication,
  topics: ['hook_failure', 'authentication'],
  async run(examined) {
    const { hook } = examined
    if (hook === undefined) return skip('this broker calls no hook')
    const logins = hookFaults.map((fault) => ({
      name: `hook: ${fault}`,
      login: hook.faulty(fault),
    }))
    const finding = await refuses(
      examined,
      logins.map(({ name, login }) => [name, { ...login, clientId: text() }] as const),
    )
    if (finding.verdict !== 'pass') return finding
    for (const { name, login } of logins) {
      if (await hook.wasAsked(login.username)) continue
      return fail(
        `${name}: refused, but this broker did not call its hook, so the result is unknown`,
      )
    }
    return finding
  },
}

const bridge: Probe = {
  id: 'bridge',
  title: 'The service is connected to it as a client',
  advice:
    "Compare `mqtt` in the brokers file with the broker's own user of that name, its rules, and its certificate (`ca_file`).",
  async run({ bridgeProblem }) {
    if (bridgeProblem === undefined) return skip('the service does not connect to it')
    const problem = await bridgeProblem()
    return problem === null ? pass('connected and subscribed') : fail(problem)
  },
}

/** How long the service may take to list a new session, in milliseconds. */
const LISTED_MS = 10_000

const identity: Probe = {
  id: 'identity',
  title: 'The address belongs to the named broker',
  advice: 'Set the address of that broker with --url, or name the broker at the address.',
  async run({ url, own, seesOwn }) {
    if (seesOwn === undefined) return skip('the service does not see the sessions of this broker')
    const client = await admitted(url, own)
    try {
      return (await comesTrueSoon(seesOwn, LISTED_MS))
        ? pass('the service lists the session of a device that connected there')
        : fail('a device connected there, and the service lists no session of it')
    } finally {
      client.end()
    }
  },
}

export const connectProbes: readonly Probe[] = [
  validLogin,
  identity,
  bridge,
  anonymous,
  wrongPassword,
  clientId,
  hookFailure,
]
