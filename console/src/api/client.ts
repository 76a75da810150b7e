/**
 * Calls operations of the service with types from the list of operations. A call that needs a
 * session, or a fresh proof of the user, asks for it and continues: typed texts stay.
 */
import { publicOperations } from '../../../sdk/public-operations.ts'
import type { OperationInfo, Operations } from '../../../sdk/schema.ts'
import { proofPrompt, signInPrompt } from '../session/prompts.ts'
import { accessToken, refreshSession } from '../session/session.ts'
import { logCall } from './call-log.ts'
import { pathOf } from './path.ts'
import { type Problem, problemOf, readProblem } from './problem.ts'

export type OperationId = keyof Operations
export type { Operations }

type Responses<Id extends OperationId> = Operations[Id]['responses']
/** The body of the successful answer. */
export type Result<Id extends OperationId> = Responses<Id>[Extract<
  keyof Responses<Id>,
  200 | 201 | 202 | 204
>]
export type Body<Id extends OperationId> = Operations[Id]['body']
export type Query<Id extends OperationId> = Operations[Id]['query']

export interface Input<Id extends OperationId> {
  params?: Operations[Id]['params']
  query?: Partial<Query<Id>>
  body?: Body<Id>
  /** The revision that the change is based on, for `If-Match`. */
  etag?: string | undefined
  signal?: AbortSignal
}

export interface CallResult<Id extends OperationId> {
  status: number
  body: Result<Id>
  etag: string | undefined
  /** Id of the receipt, of a change that takes rights away. */
  receipt: string | undefined
}

/** The pages before the sign-in need few operations: the others are loaded with the first call. */
const loadOperations = () => import('../session/frame.ts')

const isPublic = (id: OperationId): id is keyof typeof publicOperations => id in publicOperations

const infoOf = async (id: OperationId): Promise<OperationInfo> =>
  isPublic(id) ? publicOperations[id] : (await loadOperations()).operations[id]

/** The contents that are no JSON of a call. */
interface Form {
  /** The type of the response. */
  accept?: string
  rows?: { type: string; text: string }
}

async function send(id: OperationId, input: Input<OperationId>, form: Form): Promise<Response> {
  const info = await infoOf(id)
  const { method } = info
  const path = pathOf(info, input)
  const headers: Record<string, string> = {}
  if (!isPublic(id)) headers.authorization = `Bearer ${await accessToken()}`
  if (input.etag !== undefined) headers['if-match'] = input.etag
  if (form.accept !== undefined) headers.accept = form.accept
  const body =
    form.rows?.text ?? (input.body === undefined ? undefined : JSON.stringify(input.body))
  if (body !== undefined) headers['content-type'] = form.rows?.type ?? 'application/json'
  const done = logCall({ id, method, path, body: input.body })
  try {
    const response = await fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body }),
      ...(input.signal && { signal: input.signal }),
    })
    done(response.status)
    return response
  } catch (error) {
    done(0)
    throw error
  }
}

/** Whether the call can be repeated, after the person has signed in or proved who they are. */
async function recover(id: OperationId, problem: Problem): Promise<boolean> {
  if (problem.code === 'fresh_authentication_required') return proofPrompt.request(false)
  // Calls for one's own account; where a workspace requires a factor, its pages say so.
  const isOwn = (await infoOf(id)).path.startsWith('/auth/')
  if (problem.code === 'mfa_required' && isOwn) return proofPrompt.request(true)
  if (problem.code !== 'credential_rejected' && problem.code !== 'credential_missing') return false
  return (await refreshSession()) || (await signInPrompt.request(false))
}

/**
 * The response to a call, whatever its form.
 * @throws Problem; DOMException `AbortError` if the call was aborted
 */
export async function open<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
  form: Form = {},
): Promise<Response> {
  for (let round = 1; ; round += 1) {
    let response: Response
    try {
      response = await send(id, input, form)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error
      throw problemOf(error)
    }
    if (response.ok) return response
    const problem = await readProblem(response)
    if (isPublic(id) || round > 2 || !(await recover(id, problem))) throw problem
  }
}

const receiptIn = (link: string | null): string | undefined =>
  /(rcp_\w+)>; rel="revocation-receipt"/.exec(link ?? '')?.[1]

/** @throws Problem; DOMException `AbortError` if the call was aborted */
export async function request<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
): Promise<CallResult<Id>> {
  const response = await open(id, input)
  const body = response.status === 204 ? null : await response.json()
  return {
    status: response.status,
    body: body as Result<Id>,
    etag: response.headers.get('etag') ?? undefined,
    receipt: receiptIn(response.headers.get('link')),
  }
}

/** @throws Problem */
export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
): Promise<Result<Id>> {
  return (await request(id, input)).body
}
