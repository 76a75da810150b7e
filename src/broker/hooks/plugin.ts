/**
 * The routes of the broker hooks, `POST /hooks/{broker}/…`. Whatever goes wrong is answered with a
 * no in the broker's own words, by the path that it asked, and never with nothing.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Seldom } from '../../lib/seldom.ts'
import { afterwards, type Soon } from '../../lib/soon.ts'
import type { BrokerEntry, Brokers } from '../broker-entry.ts'
import type { RemoteAuthority } from '../port.ts'
import { readForm, readJson } from './bodies.ts'
import { BrokerSecrets } from './broker-secrets.ts'
import { emqxHooks } from './emqx.ts'
import { disturb, type Disturbance } from './disturbance.ts'
import { type Answer, type Denial, type Fields, type Hook, textOf } from './hook.ts'
import { mosquittoHooks } from './mosquitto.ts'
import { nanomqHooks } from './nanomq.ts'
import { rabbitmqHooks } from './rabbitmq.ts'
import { vernemqHooks } from './vernemq.ts'

export interface BrokerHookOptions {
  brokers: Brokers
  authority: RemoteAuthority
  /** Told of calls that could not be decided, at most once a minute for each broker and reason. */
  warn: (message: string, fields: Record<string, unknown>) => void
  /** How a login that was made to be answered badly wants it; undefined for all others. */
  disturbanceOf?: (username: string, password: string) => Disturbance | undefined
  /** Questions that may wait for their decision at once. */
  undecidedLimit?: number
  /** Milliseconds after which the answer is no. */
  deadlineMs?: number
}

/** Ten nodes with the pools that brokers have by default. */
const UNDECIDED_LIMIT = 1_000
/** Shorter than the patience that brokers have by default. */
const DEADLINE_MS = 4_000

const hooks: readonly Hook[] = [
  ...emqxHooks,
  ...rabbitmqHooks,
  ...mosquittoHooks,
  ...nanomqHooks,
  ...vernemqHooks,
]

/** What they are answered is read by its status alone, or may be set to be. */
const goByStatus: ReadonlySet<string> = new Set(['nanomq', 'mosquitto-go-auth'])

const words: Readonly<Record<Denial, string>> = {
  stranger: 'an unknown broker or a wrong secret asked a hook',
  malformed: 'a broker asked a hook what can not be read',
  busy: 'a hook was asked too much at once',
  unavailable: 'a hook could not decide',
  refused: 'a hook refused',
}

/** `undefined` when the body is not what this hook reads. */
function readBody(hook: Hook, type: string | undefined, body: unknown): Fields | undefined {
  if (!Buffer.isBuffer(body)) return undefined
  const isForm = type?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  if (hook.form !== 'either' && isForm !== (hook.form === 'form')) return undefined
  return isForm ? readForm(body) : readJson(body)
}

/** Resolves with `late()` when the time is up; what comes after it is dropped. */
async function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), ms)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

const headerOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

type HookRequest = FastifyRequest<{ Params: { broker: string } }>

class HookDesk {
  readonly #options: BrokerHookOptions
  readonly #secrets: BrokerSecrets
  readonly #told = new Seldom()
  #undecided = 0

  constructor(options: BrokerHookOptions) {
    this.#options = options
    this.#secrets = new BrokerSecrets(options.brokers)
  }

  answer(hook: Hook, request: HookRequest): Soon<Answer | Disturbance> {
    const { headers, params, body } = request
    const broker = this.#secrets.find(params.broker, headers.authorization)
    const deny = (reason: Denial): Answer => this.deny(hook, reason, request, broker)
    if (broker === undefined || broker.kind !== hook.kind) return deny('stranger')
    const fields = readBody(hook, headers['content-type'], body)
    if (fields === undefined) return deny('malformed')
    const disturbance = this.#disturbance(fields)
    if (disturbance !== undefined) return disturbance
    const { authority, undecidedLimit = UNDECIDED_LIMIT, deadlineMs = DEADLINE_MS } = this.#options
    if (this.#undecided >= undecidedLimit) return deny('busy')
    const hookName = headerOf(headers['vernemq-hook'])
    let answer: Soon<Answer>
    try {
      answer = hook.decide({ broker, authority, fields, hookName })
    } catch {
      return deny('unavailable')
    }
    if (!(answer instanceof Promise)) return answer
    this.#undecided += 1
    const decided = answer
      .catch(() => deny('unavailable'))
      .finally(() => {
        // Of an answer that came too late as well: until then it still occupies the database.
        this.#undecided -= 1
      })
    return within(deadlineMs, decided, () => deny('unavailable'))
  }

  #disturbance(fields: Fields): Disturbance | undefined {
    const username = textOf(fields, 'username')
    const password = textOf(fields, 'password')
    return username && password ? this.#options.disturbanceOf?.(username, password) : undefined
  }

  /** The broker's word for no; staff hear of the reasons that are not the client's. */
  deny(hook: Hook, reason: Denial, request: FastifyRequest, broker?: BrokerEntry): Answer {
    if (this.#told.isDue(`${broker?.name} ${reason}`)) {
      const { path } = hook
      this.#options.warn(words[reason], { broker: broker?.name, hook: path, address: request.ip })
    }
    return hook.deny(reason)
  }
}

function send(reply: FastifyReply, { status, type, body }: Answer): void {
  reply.code(status).type(type).send(body)
}

function give(reply: FastifyReply, hook: Hook, answer: Answer | Disturbance): Soon<void> {
  if (typeof answer === 'string') return disturb(reply, answer, goByStatus.has(hook.kind))
  send(reply, answer)
}

/** Puts the hooks on a listener, with their own readers of bodies. */
export function addBrokerHooks(listener: FastifyInstance, options: BrokerHookOptions): void {
  const desk = new HookDesk(options)
  void listener.register(async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body)
    })
    for (const hook of hooks) {
      app.route<{ Params: { broker: string } }>({
        method: 'POST',
        url: `/hooks/:broker/${hook.path}`,
        bodyLimit: hook.bodyLimit,
        handler: (request, reply) =>
          afterwards(desk.answer(hook, request), (answer) => give(reply, hook, answer)),
        // A body that is too large, or ends too early.
        errorHandler: (_error, request, reply) =>
          send(reply, desk.deny(hook, 'malformed', request)),
      })
    }
  })
}
