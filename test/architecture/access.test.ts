/**
 * The access gate: every operation, with every kind of credential, sent in every way. The expected
 * result follows from the data of the operation alone, and a refused operation never runs.
 */
import assert from 'node:assert/strict'
import { Agent, request as httpRequest, type RequestOptions } from 'node:http'
import { before, describe, test } from 'node:test'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { permissions, roleHolds } from '../../src/platform/access/permissions.ts'
import { type CallerKind, callerKindOf, carriersOf } from '../../src/platform/access/principal.ts'
import { Failure } from '../../src/platform/errors/errors.ts'
import {
  isForOperators,
  isOwnAccountPath,
  CONSOLE_BASE,
  isWorkspacePath,
  type RequestInfo,
  routeOf,
} from '../../src/platform/http/operation.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import { operations } from '../../src/operations.ts'
import { sameOrigin, type TestApp } from '../support/app.ts'
import {
  badCredentials,
  type Credential,
  validCredentials,
  type Worth,
} from '../support/credentials.ts'
import { reach } from '../support/provoked-failures.ts'
import { secondServer } from '../support/second-server.ts'
import { movingClock } from '../support/sign-in.ts'
import { useApp } from '../support/suite-app.ts'
import { isThorough } from '../support/thorough.ts'
import { bearer, type Transport, transports } from './credential-transports.ts'

type AnyOperation = (typeof operations)[number]

/** Well-formed to the eye of an unauthenticated caller, and broken for anyone who reads it. */
const BROKEN_BODY = '{"broken":'

/**
 * All that the gate knows of an operation. One operation of each kind is sent every credential in
 * every way; another one each good credential as it is sent rightly or, in a thorough run, every
 * credential in every way in which any is taken.
 */
const kindOf = ({
  access,
  permission,
  needsFreshProof,
  takesPaymentToken,
  base,
  path,
  method,
}: AnyOperation): string =>
  [access, permission === undefined, needsFreshProof, takesPaymentToken, base]
    .concat(method === 'GET', isWorkspacePath(path), isOwnAccountPath(path))
    .join(' ')
const firstOfKind = new Map(operations.toReversed().map((each) => [kindOf(each), each]))
const isTaken = ({ carrier }: Transport): boolean =>
  carrier !== 'none' && carrier !== 'wrong-scheme'
/** For what is decided before the gate looks at the operation. */
const someOperations = isThorough ? operations : [...firstOfKind.values()]

/** Whether it is the usual way for the kind. */
const isUsualTransport = (transport: Transport, { worth }: Credential): boolean =>
  worth !== undefined &&
  transport === transports.find(({ carrier }) => carrier === carriersOf[worth.kind][0])

/**
 * The permitted calls of the document in which a person pays, next to the script of somebody else.
 */
const paying: readonly string[] = [
  'createPaymentMethod',
  'getBalance',
  'getInvoice',
  'getPayment',
  'listPaymentMethods',
  'payInvoice',
  'topUpBalance',
]

/** The expected decision of the gate: a failure, or letting it pass. */
type Outcome = { status: number; code: string } | 'passed'

const refusal = (status: number, code: string): Outcome => ({ status, code })
const REJECTED = refusal(401, 'credential_rejected')
const INITIAL = refusal(403, 'password_change_required')
const STALE = refusal(401, 'fresh_authentication_required')

/** Why somebody is no operator here; undefined for one. */
function refusalOfOperator({ isOperator, hasFactor, isLimited }: Worth): Outcome | undefined {
  if (!isOperator || isLimited) return refusal(403, 'operator_required')
  return hasFactor ? undefined : refusal(403, 'mfa_required')
}

function inWorkspace(operation: AnyOperation, worth: Worth, workspaceId: string): Outcome {
  const { permission } = operation
  const missing = refusal(404, 'workspace_not_found')
  if (worth.workspaceId !== workspaceId) return missing
  const { kind, role } = worth
  if (kind !== 'user' && kind !== 'platform-key') return missing
  if (permission === undefined) return 'passed'
  const holds =
    kind === 'user'
      ? role !== undefined && roleHolds(role, permission)
      : permissions[permission].platformKey
  return holds ? 'passed' : refusal(403, 'permission_denied')
}

function outcomeOn(
  operation: AnyOperation,
  { worth }: Partial<Credential>,
  { carrier }: Transport,
  workspaceId: string,
): Outcome {
  const { access, id, path } = operation
  if (access === 'public') return 'passed'
  if (carrier === 'none') return refusal(401, 'credential_missing')
  if (carrier === 'wrong-scheme' || worth === undefined) return REJECTED
  if (!access.some((kind) => callerKindOf(kind) === worth.kind)) {
    return refusal(403, 'wrong_credential_kind')
  }
  if (worth.onlyPays && !paying.includes(id)) return refusal(403, 'wrong_credential_kind')
  if (!carriersOf[worth.kind].includes(carrier)) return REJECTED
  if (worth.hasInitialPassword && !isOwnAccountPath(path)) return INITIAL
  const isRefused = isForOperators(operation) && refusalOfOperator(worth)
  if (isRefused) return isRefused
  const outcome = isWorkspacePath(path) ? inWorkspace(operation, worth, workspaceId) : 'passed'
  const isTooOld = operation.needsFreshProof && worth.isStale === true
  return outcome === 'passed' && isTooOld ? STALE : outcome
}

/** The response that only the recording `run` of the second server gives. */
const RAN = 'claim_code_used'
/** Id of a request that got through to its operation → the kind of its caller. */
const ran = new Map<string, string>()
/** Ids of requests whose operations could have read a cookie. */
const sawCookies = new Set<string>()
const recording = operations.map((operation) => ({
  ...operation,
  run({ caller, request }: { caller: { kind: string }; request: RequestInfo }) {
    ran.set(request.id, caller.kind)
    if (request.cookies !== undefined) sawCookies.add(request.id)
    return Promise.reject(new Failure(RAN))
  },
}))

function pathOf(operation: AnyOperation, workspaceId: string): string {
  const { path, params } = operation
  return routeOf(operation).replaceAll(/:([a-z_]+)/g, (_whole, name: string) => {
    const isWorkspace = name === 'id' && isWorkspacePath(path)
    const { prefix } = params[name] ?? { prefix: 'ws' as const }
    return prefix === undefined ? '1' : formatId(prefix, isWorkspace ? workspaceId : newUuid())
  })
}

/** A request on a real socket, with its headers as a list of names and values. */
function request(url: string, options: RequestOptions): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      )
    })
    sent.on('error', reject).end()
  })
}

/** All that a rejection may depend on, alongside the place that the credential was sent in. */
const variantOf = ({ text }: Credential): string =>
  /^(?:service_ak_|service_pk_|dht_|eyJ)/.exec(text)?.[0] ?? ''

interface Problem {
  status: number
  code: string
  trace_id: string
  instance: string
}

const challengeOf = ({ access }: AnyOperation): string =>
  access !== 'public' && access.every((kind) => kind === 'provision-key')
    ? 'ServiceAuthCode realm="mooring"'
    : 'Bearer realm="mooring"'

describe('the access gate', () => {
  const clock = movingClock()
  const get = useApp({ clock })
  let app: TestApp
  let server: FastifyInstance
  let own: string
  let good: Credential[]
  let bad: Credential[]

  before(async () => {
    app = get()
    server = secondServer(app, recording)
    await server.ready()
    own = app.seed.uuid
    good = await validCredentials(app, app.seed, app.seed.other)
    bad = await badCredentials(app, clock, app.seed)
  })

  const requestTo = (operation: AnyOperation): InjectOptions => ({
    method: operation.method,
    url: pathOf(operation, own),
    headers: {
      ...sameOrigin,
      ...(operation.method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(operation.method !== 'GET' && { payload: BROKEN_BODY }),
  })

  async function send(request: InjectOptions) {
    const response = await server.inject(request)
    const ranAs = ran.get(String(response.headers['x-request-id']))
    return { response, problem: JSON.parse(response.body) as Problem, ranAs }
  }

  /** Sends a request and compares what became of it with the verdict. */
  async function evaluate(
    operation: AnyOperation,
    request: InjectOptions,
    outcome: Outcome,
    where: string,
  ): Promise<{ body: string; headers: string } | undefined> {
    const { response, problem, ranAs } = await send(request)
    const said = `${where}: ${response.statusCode} ${response.body}`
    if (outcome === 'passed') {
      // A body that can't be read, or an unknown name in the query, is seen behind the gate only.
      const seen = ranAs === undefined ? problem.code : RAN
      const beyond = operation.method === 'GET' ? [RAN, 'invalid_request'] : ['malformed_json']
      assert.ok(beyond.includes(seen), said)
      return undefined
    }
    assert.equal(ranAs, undefined, `${where} ran`)
    reach(operation.method, problem.instance, problem.code)
    assert.equal(response.statusCode, outcome.status, said)
    assert.equal(problem.code, outcome.code, said)
    assert.equal(problem.status, outcome.status, said)
    assert.match(String(response.headers['content-type']), /^application\/problem\+json/, said)
    const challenge = response.headers['www-authenticate']
    if (outcome.status === 401)
      assert.ok(String(challenge).startsWith(challengeOf(operation)), said)
    else assert.equal(challenge, undefined, said)
    const {
      'x-request-id': _id,
      date: _date,
      'content-length': _length,
      ...rest
    } = response.headers
    const body = response.body.replaceAll(problem.trace_id, '').replaceAll(problem.instance, '')
    return { body, headers: JSON.stringify(rest) }
  }

  for (const operation of operations) {
    test(`${operation.method} ${operation.path} accepts the members that it declares only`, async () => {
      const isFirst = firstOfKind.get(kindOf(operation)) === operation
      const isWhole = isFirst || isThorough
      const tried = transports.filter((transport) => isFirst || isTaken(transport))
      const rejections = new Map<string, Set<string>>()
      const evaluateOne = async (transport: Transport, credential: Credential): Promise<void> => {
        const request = requestTo(operation)
        transport.put(request, credential.text)
        const outcome = outcomeOn(operation, credential, transport, own)
        const where = `${operation.id}, ${credential.name} as ${transport.name}`
        const response = await evaluate(operation, request, outcome, where)
        if (outcome !== REJECTED || response === undefined) return
        const checks = `${transport.name} ${variantOf(credential)}`
        const received = rejections.get(checks) ?? new Set<string>()
        rejections.set(checks, received.add(`${response.body} ${response.headers}`))
      }
      for (const transport of tried) {
        const sent = [...good, ...bad].filter(
          (each) => isWhole || isUsualTransport(transport, each),
        )
        await Promise.all(sent.map((credential) => evaluateOne(transport, credential)))
      }
      const isBlind = isWhole && rejections.size <= tried.length / 2
      assert.ok(operation.access === 'public' || !isBlind)
      for (const [checks, received] of rejections) {
        assert.equal(received.size, 1, `${checks}: ${[...received].join('\n')}`)
      }
      const none = requestTo(operation)
      const outcome = outcomeOn(operation, {}, { ...bearer, carrier: 'none' }, own)
      await evaluate(operation, none, outcome, `${operation.id} without a credential`)
    })
  }

  test('an accepted request reaches the operation with the kind of its credential', async () => {
    for (const operation of operations) {
      const { access, example } = operation
      if (operation.rows !== undefined) continue
      for (const credential of good) {
        const { worth } = credential
        const kind = worth?.kind as CallerKind
        const carrier = carriersOf[kind][0]
        const transport = transports.find((each) => each.carrier === carrier) as Transport
        if (access === 'public' || outcomeOn(operation, credential, transport, own) !== 'passed')
          continue
        const request = requestTo(operation)
        if (operation.method !== 'GET') request.payload = JSON.stringify(example ?? {})
        transport.put(request, credential.text)
        const { response, ranAs } = await send(request)
        assert.equal(ranAs, kind, `${operation.id}: ${response.body}`)
      }
    }
  })

  test('a public operation never learns who calls', async () => {
    for (const operation of operations) {
      if (operation.access !== 'public') continue
      for (const credential of good) {
        const request = requestTo(operation)
        request.payload = JSON.stringify(operation.example ?? {})
        bearer.put(request, credential.text)
        const { response, ranAs } = await send(request)
        assert.equal(ranAs, 'anonymous', `${operation.id}: ${response.body}`)
      }
    }
  })

  test('only an operation of the console sees cookies', async () => {
    for (const operation of operations) {
      const { access, base, example, rows } = operation
      if (rows !== undefined) continue
      const request = requestTo(operation)
      if (operation.method !== 'GET') request.payload = JSON.stringify(example ?? {})
      request.headers = { ...request.headers, cookie: 'mooring-console=x' }
      for (const transport of access === 'public' ? [] : transports) {
        const fits = good.find((each) => outcomeOn(operation, each, transport, own) === 'passed')
        if (fits === undefined) continue
        transport.put(request, fits.text)
        break
      }
      const { response, ranAs } = await send(request)
      assert.notEqual(ranAs, undefined, `${operation.id}: ${response.body}`)
      const saw = sawCookies.has(String(response.headers['x-request-id']))
      assert.equal(saw, base === CONSOLE_BASE, operation.id)
    }
  })

  test('pages of other origins reach no operation of the console', async () => {
    for (const operation of operations) {
      if (operation.base !== CONSOLE_BASE) continue
      const request = requestTo(operation)
      for (const site of ['same-site', 'cross-site', 'none', 'x']) {
        request.headers = { ...request.headers, 'sec-fetch-site': site }
        const where = `${operation.id} from ${site}`
        await evaluate(operation, request, refusal(403, 'cross_site_request'), where)
      }
    }
  })

  test('a request with two credentials is refused, even if both are valid', async () => {
    const carriers = transports.filter(({ carrier }) => carrier !== 'none')
    const platformKey = good.find(({ worth }) => worth?.kind === 'platform-key')
    const texts = [good[0]?.text, platformKey?.text]
    for (const operation of someOperations) {
      for (const first of carriers) {
        for (const second of carriers) {
          const request = requestTo(operation)
          first.put(request, texts[0] as string)
          const count = Object.keys(request.headers ?? {}).length
          second.put(request, texts[1] as string)
          // Twice the same header is for a real socket; see below.
          if (Object.keys(request.headers ?? {}).length === count) continue
          const where = `${operation.id}, ${first.name} and ${second.name}`
          await evaluate(operation, request, refusal(400, 'ambiguous_credentials'), where)
        }
      }
    }
  })

  test('a header that is sent twice counts as two credentials, equal or not', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const carriers = transports.filter(({ carrier }) => carrier !== 'none')
    const twice = async (operation: AnyOperation, transport: Transport): Promise<void> => {
      const once: InjectOptions = { headers: {} }
      transport.put(once, good[0]?.text ?? '')
      const [name, value] = Object.entries(once.headers ?? {})[0] as [string, string]
      const host = new URL(app.origin).host
      const fetchSite = ['sec-fetch-site', 'same-origin']
      const headers = ['host', host, ...fetchSite, name, value, name.toUpperCase(), value]
      const url = `${app.origin}${pathOf(operation, own)}`
      const { status, body } = await request(url, { method: operation.method, headers, agent })
      const said = `${operation.id}, ${transport.name}: ${status} ${body}`
      assert.equal(status, 400, said)
      assert.equal((JSON.parse(body) as Problem).code, 'ambiguous_credentials', said)
    }
    for (const operation of someOperations) {
      await Promise.all(carriers.map((transport) => twice(operation, transport)))
    }
    agent.destroy()
  })
})
