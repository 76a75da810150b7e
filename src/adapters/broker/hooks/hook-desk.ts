/**
 * Answers hook calls. Any failure becomes a denial in the form that the broker expects, never a
 * missing answer.
 */
import { Seldom } from '../../../platform/lib/seldom.ts'
import { afterwards, type Soon } from '../../../platform/lib/soon.ts'
import type { BrokerEntry, Brokers } from '../broker-entry.ts'
import type { RemoteAuthority } from '../external-port.ts'
import { readForm, readJson } from './bodies.ts'
import { BrokerSecrets } from './broker-secrets.ts'
import type { Disturbance } from './disturbance.ts'
import { type Answer, type Denial, type Fields, type Hook, type HookCall, textOf } from './hook.ts'
import { type Admission, RememberedAnswers } from './remembered-answers.ts'

export interface BrokerHookOptions {
  brokers: Brokers
  authority: RemoteAuthority
  /** Called for undecidable calls, at most once a minute per broker and reason. */
  warn: (message: string, fields: Record<string, unknown>) => void
  /** The disturbance that a probe login asks for; undefined for all others. */
  disturbanceOf?: (username: string, password: string) => Disturbance | undefined
  /** Called when a broker asked about a probe login. */
  onDisturbed?: (broker: string, username: string) => void
  /** Calls that may await a decision concurrently. */
  undecidedLimit?: number
  /** Milliseconds after which a call is denied. */
  deadlineMs?: number
}

/** One hook call. */
export interface Question {
  hook: Hook
  /** Result of `authenticate`; undefined for an unknown caller, whose body is not read. */
  broker: BrokerEntry | undefined
  contentType: string | undefined
  /** The header `vernemq-hook`. */
  hookName: string | undefined
  /** The caller's IP address. */
  address: string | undefined
  /** Undefined if it is too large. */
  body: Buffer | undefined
}

/** Ten nodes with the brokers' default connection pools. */
const UNDECIDED_LIMIT = 1_000
/** Shorter than the brokers' default timeouts. */
const DEADLINE_MS = 4_000

const words: Readonly<Record<Denial, string>> = {
  stranger: 'an unknown broker or a wrong secret asked a hook',
  malformed: 'a broker asked a hook what can not be read',
  busy: 'a hook was asked too much at once',
  unavailable: 'a hook could not decide',
  refused: 'a hook refused',
}

/** Undefined if the body does not parse. */
function readFields({ hook, contentType }: Question, body: Buffer): Fields | undefined {
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  if (hook.form !== 'either' && isForm !== (hook.form === 'form')) return undefined
  return isForm ? readForm(body) : readJson(body)
}

/** Resolves with `late()` when the time is up; a later result is dropped. */
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

export class HookDesk {
  readonly #options: BrokerHookOptions
  readonly #secrets: BrokerSecrets
  readonly #remembered: RememberedAnswers
  readonly #told = new Seldom()
  #undecided = 0

  constructor(options: BrokerHookOptions) {
    this.#options = options
    this.#secrets = new BrokerSecrets(options.brokers)
    this.#remembered = new RememberedAnswers(options.authority)
  }

  /** The broker of this name and kind, if the secret is right. */
  authenticate(
    hook: Hook,
    name: string,
    authorization: string | undefined,
  ): BrokerEntry | undefined {
    const broker = this.#secrets.find(name, authorization)
    return broker?.kind === hook.kind ? broker : undefined
  }

  answer(question: Question): Soon<Answer | Disturbance> {
    try {
      return this.#answer(question)
    } catch {
      return this.#deny(question, 'unavailable')
    }
  }

  #answer(question: Question): Soon<Answer | Disturbance> {
    const { hook, broker, body, contentType, hookName } = question
    if (broker === undefined) return this.#deny(question, 'stranger')
    if (body === undefined) return this.#deny(question, 'malformed')
    const key = RememberedAnswers.keyOf(body, broker.name, hook.path, hookName, contentType)
    const known = this.#remembered.find(key, broker)
    if (known === undefined) return this.#decide(question, body, broker, key)
    this.#options.authority.admitted(known.request, known.grant, broker.name)
    return known.answer
  }

  #decide(
    question: Question,
    body: Buffer,
    broker: BrokerEntry,
    key: string,
  ): Soon<Answer | Disturbance> {
    const fields = readFields(question, body)
    if (fields === undefined) return this.#deny(question, 'malformed')
    const disturbance = this.#disturbance(fields, broker.name)
    if (disturbance !== undefined) return disturbance
    const { undecidedLimit = UNDECIDED_LIMIT, deadlineMs = DEADLINE_MS } = this.#options
    if (this.#undecided >= undecidedLimit) return this.#deny(question, 'busy')
    const unable = (): Answer => this.#deny(question, 'unavailable')
    let answer: Soon<Answer>
    try {
      answer = this.#ask(question, fields, broker, key)
    } catch {
      return unable()
    }
    if (!(answer instanceof Promise)) return answer
    this.#undecided += 1
    const decided = answer.catch(unable).finally(() => {
      // Counts until the decision ends, even if late: it still occupies the database.
      this.#undecided -= 1
    })
    return within(deadlineMs, decided, unable)
  }

  /** Asks the authority, and remembers the answer to an accepted CONNECT. */
  #ask(
    { hook, hookName }: Question,
    fields: Fields,
    broker: BrokerEntry,
    key: string,
  ): Soon<Answer> {
    const { authority } = this.#options
    let admission: Admission | undefined
    const admitted: HookCall['admitted'] = (request, grant) => {
      authority.admitted(request, grant, broker.name)
      admission = { request, grant }
    }
    const asked = hook.decide({ broker, authority, fields, hookName, admitted })
    return afterwards(asked, (answer) => {
      if (admission !== undefined) this.#remembered.add(key, broker, admission, answer)
      return answer
    })
  }

  #disturbance(fields: Fields, broker: string): Disturbance | undefined {
    const username = textOf(fields, 'username')
    const password = textOf(fields, 'password')
    if (!username || !password) return undefined
    const disturbance = this.#options.disturbanceOf?.(username, password)
    if (disturbance !== undefined) this.#options.onDisturbed?.(broker, username)
    return disturbance
  }

  /** The broker's form of a denial; staff see reasons that are not the client's fault. */
  #deny({ hook, broker, address }: Question, reason: Denial): Answer {
    if (this.#told.isDue(`${broker?.name} ${reason}`)) {
      this.#options.warn(words[reason], { broker: broker?.name, hook: hook.path, address })
    }
    return hook.deny(reason)
  }
}
