/** The results of operations: a response with its status, or a body that has only one. */

/** A response with its status, and what else `respond` was given. */
export class Reply<Status extends number, Body> {
  readonly status: Status
  readonly body: Body
  /** The revision of the resource in the body, for its ETag. */
  readonly revision?: number
  /** Path of the created resource below the base, for `Location`. */
  readonly location?: string
  /** Whether this repeats an earlier response. */
  readonly replayed?: boolean

  constructor(status: Status, body: Body, extra: ReplyExtra) {
    this.status = status
    this.body = body
    Object.assign(this, extra)
  }
}

export type UntypedReply = Reply<number, unknown>

type ReplyExtra = Pick<UntypedReply, 'revision' | 'location' | 'replayed'>

/** A response of `run`, with its status as a literal type. */
export const respond = <Status extends number, Body>(
  status: Status,
  body: Body,
  extra: ReplyExtra = {},
) => new Reply(status, body, extra)

/** A response with the ETag of the resource in its body. No body has both members of its own. */
const isRevised = (result: unknown): result is { view: unknown; revision: number } =>
  typeof result === 'object' && result !== null && 'view' in result && 'revision' in result

/** The response that a result of `run` stands for. */
export function replyOf(result: unknown, onlyStatus: number): UntypedReply {
  if (result instanceof Reply) return result
  if (!isRevised(result)) return { status: onlyStatus, body: result ?? null }
  return { status: onlyStatus, body: result.view, revision: result.revision }
}

/** A path in which `{member}` is a member of the response's body. */
export const expandPath = (path: string, body: unknown): string =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (_all, name: string) => (body as Record<string, string>)[name] ?? '',
  )
