/** The problem of a refused call (RFC 9457), and the one of a call without a response. */
import type { ErrorCode } from '../../../sdk/schema.ts'
import { translateProblem } from '../i18n/problems.ts'
import { t } from '../i18n/shared.ts'

export interface FieldError {
  /** RFC 6901 pointer into the body, or `/query/<name>`. */
  pointer: string
  message: string
  /** The language of the message, where it is not that of the console. */
  lang?: 'en'
}

/** `offline` stands for a call that got no response, `browser` for what the browser refused. */
export type ProblemCode = ErrorCode | 'offline' | 'browser'

export interface ProblemShape {
  code: ProblemCode
  status: number
  title: string
  detail: string
  /** The remedy if it stays. */
  advice?: string
  errors?: readonly FieldError[]
  rule?: string
  trace_id?: string
  limit?: { name?: string; limit?: number }
  /** The language of the detail, where it is not that of the console. */
  lang?: 'en'
}

/** The subject of the conflict, where the response names no member: forms mark its field. */
const conflicts: Readonly<Partial<Record<ProblemCode, string>>> = {
  account_exists: '/email',
  custom_field_taken: '/name',
  device_group_name_taken: '/name',
  device_key_taken: '/device_key',
  domain_exists: '/name',
  hardware_id_taken: '/hardware_id',
  model_key_taken: '/model_key',
  mqtt_principal_name_taken: '/name',
  slug_fixed: '/slug',
  slug_taken: '/slug',
  view_name_taken: '/name',
}

/** One sentence in the language of the console: a title that was translated is one. */
const sentenceOf = (shape: ProblemShape): string =>
  shape.lang === undefined ? messageOf(shape) : shape.title

const messageOf = ({ detail, advice }: ProblemShape): string =>
  advice === undefined ? detail : `${detail} ${advice}`

function errorsOf(shape: ProblemShape): readonly FieldError[] {
  const { code, errors = [] } = shape
  const pointer = conflicts[code]
  if (pointer === undefined || errors.length > 0) return errors
  return [{ pointer, message: sentenceOf(shape) }]
}

/** A person who would wait for longer is asked. */
const LONGEST_PAUSE_S = 60

export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  /** The message without the advice. */
  readonly detail: string
  readonly advice: string | undefined
  readonly errors: readonly FieldError[]
  readonly rule: string | undefined
  readonly traceId: string | undefined
  /** Seconds until the call may be repeated. */
  readonly retryAfter: number | undefined
  /** Whether it passes by itself: a read waits for that, and is tried again. */
  readonly isPassing: boolean
  /** The language of the message, where it is not that of the console. */
  readonly lang: 'en' | undefined
  /** Its text, where there is room for one sentence. */
  readonly sentence: string

  constructor(shape: ProblemShape, retryAfter?: number) {
    super(messageOf(shape))
    this.code = shape.code
    this.status = shape.status
    this.title = shape.title
    this.detail = shape.detail
    this.advice = shape.advice
    this.errors = errorsOf(shape)
    this.rule = shape.rule
    this.traceId = shape.trace_id
    this.retryAfter = retryAfter
    this.isPassing =
      [429, 503].includes(shape.status) && (retryAfter ?? Infinity) <= LONGEST_PAUSE_S
    this.lang = shape.lang
    this.sentence = sentenceOf(shape)
  }
}

const offline = (): Problem =>
  new Problem({
    code: 'offline',
    status: 0,
    title: t('No response'),
    detail: t('The service did not answer. What you typed is still here; try again.'),
  })

/** Milliseconds until a call is repeated: as the service asks, or longer each time. */
export const pauseAfter = (tries: number, error: Error): number =>
  1_000 * ((error instanceof Problem ? error.retryAfter : undefined) ?? 2 ** tries)

/** A problem for whatever a call threw. */
export const problemOf = (error: unknown): Problem => (error instanceof Problem ? error : offline())

/** Texts that differ from those for readers of an API, who know of ETags and have a log. */
const ownTexts: Partial<Record<ProblemCode, Pick<ProblemShape, 'title' | 'detail' | 'advice'>>> = {
  internal_error: {
    title: t('Internal error'),
    detail: t('The service met an error.'),
    advice: t('If it happens again, give the trace id to the operator of this service.'),
  },
  precondition_failed: {
    title: t('Somebody else has changed it meanwhile'),
    detail: t('Nothing was saved. Close this, look at what is there now, and try again.'),
  },
  unavailable: {
    title: t('Not available now'),
    detail: t('The service cannot answer for a moment. What it has saved is not lost.'),
  },
}

export async function readProblem(response: Response): Promise<Problem> {
  const seconds = Number(response.headers.get('retry-after'))
  const retryAfter = Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
  const isProblem = response.headers.get('content-type')?.includes('json') === true
  const body = isProblem
    ? ((await response.json().catch(() => undefined)) as ProblemShape)
    : undefined
  const own = body && ownTexts[body.code]
  if (body && own) return new Problem({ ...body, ...own }, retryAfter)
  if (body?.code !== undefined) return new Problem(await translateProblem(body), retryAfter)
  return new Problem(
    {
      code: 'internal_error',
      status: response.status,
      title: `HTTP ${response.status}`,
      detail: t('Something between this page and the service answered {status}.', {
        status: response.status,
      }),
    },
    retryAfter,
  )
}
