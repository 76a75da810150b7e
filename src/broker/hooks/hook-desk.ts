/**
 * Answers what brokers ask. Whatever goes wrong is answered with a no in the broker's own words, by
 * the path that it asked, and never with nothing.
 */
import { Seldom } from '../../lib/seldom.ts'
import { afterwards, type Soon } from '../../lib/soon.ts'
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
  /** Told of calls that could not be decided, at most once a minute for each broker and reason. */
  warn: (message: string, fields: Record<string, unknown>) => void
  /** How a login that was made to be answered badly wants it; undefined for all others. */
  disturbanceOf?: (username: string, password: string) => Disturbance | undefined
  /** Questions that may wait for their decision at once. */
  undecidedLimit?: number
  /** Milliseconds after which the answer is no. */
  deadlineMs?: number
}

/** A call of a hook as it came. */
export interface Question {
  hook: Hook
  /** The broker's name in the path. */
  brokerName: string
  authorization: string | undefined
  contentType: string | undefined
  /** The header `vernemq-hook`. */
  hookName: string | undefined
  /** The caller's IP address. */
  address: string | undefined
  /** Undefined when it is too large. */
  body: Buffer | undefined
}

/** Ten nodes with the pools that brokers have by default. */
const UNDECIDED_LIMIT = 1_000
/** Shorter than the patience that brokers have by default. */
const DEADLINE_MS = 4_000

const words: Readonly<Record<Denial, string>> = {
  stranger: 'an unknown broker or a wrong secret asked a hook',
  malformed: 'a broker asked a hook what can not be read',
  busy: 'a hook was asked too much at once',
  unavailable: 'a hook could not decide',
  refused: 'a hook refused',
}

/** `undefined` when the body is not what this hook reads. */
function readFields({ hook, contentType }: Question, body: Buffer): Fields | undefined {
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
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

  answer(question: Question): Soon<Answer | Disturbance> {
    try {
      return this.#answer(question)
    } catch {
      return this.#deny(question, 'unavailable', undefined)
    }
  }

  #answer(question: Question): Soon<Answer | Disturbance> {
    const { hook, body, contentType, hookName } = question
    const broker = this.#secrets.find(question.brokerName, question.authorization)
    if (broker === undefined || broker.kind !== hook.kind) {
      return this.#deny(question, 'stranger', broker)
    }
    if (body === undefined) return this.#deny(question, 'malformed', broker)
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
    if (fields === undefined) return this.#deny(question, 'malformed', broker)
    const disturbance = this.#disturbance(fields)
    if (disturbance !== undefined) return disturbance
    const { undecidedLimit = UNDECIDED_LIMIT, deadlineMs = DEADLINE_MS } = this.#options
    if (this.#undecided >= undecidedLimit) return this.#deny(question, 'busy', broker)
    const unable = (): Answer => this.#deny(question, 'unavailable', broker)
    let answer: Soon<Answer>
    try {
      answer = this.#ask(question, fields, broker, key)
    } catch {
      return unable()
    }
    if (!(answer instanceof Promise)) return answer
    this.#undecided += 1
    const decided = answer.catch(unable).finally(() => {
      // Of an answer that came too late as well: until then it still occupies the database.
      this.#undecided -= 1
    })
    return within(deadlineMs, decided, unable)
  }

  /** Asks the authority by the hook, and remembers the answer to a CONNECT that is let in. */
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

  #disturbance(fields: Fields): Disturbance | undefined {
    const username = textOf(fields, 'username')
    const password = textOf(fields, 'password')
    return username && password ? this.#options.disturbanceOf?.(username, password) : undefined
  }

  /** The broker's word for no; staff hear of the reasons that are not the client's. */
  #deny({ hook, address }: Question, reason: Denial, broker: BrokerEntry | undefined): Answer {
    if (this.#told.isDue(`${broker?.name} ${reason}`)) {
      this.#options.warn(words[reason], { broker: broker?.name, hook: hook.path, address })
    }
    return hook.deny(reason)
  }
}
