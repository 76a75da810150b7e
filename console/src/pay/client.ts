/** Calls the operations that pay, with the token that the console has handed over. */
import { operations, type Operations } from '../../../sdk/schema.ts'
import { pathOf } from '../api/path.ts'
import { problemOf, readProblem } from '../api/problem.ts'

/** Whatever else is called with that token is refused. */
type PayingOperation =
  | 'createPaymentMethod'
  | 'getBalance'
  | 'getInvoice'
  | 'getPayment'
  | 'listPaymentMethods'
  | 'payInvoice'
  | 'topUpBalance'

type Responses<Id extends keyof Operations> = Operations[Id]['responses']
type Success<Id extends keyof Operations> = Responses<Id>[Extract<keyof Responses<Id>, 200 | 201>]

interface Input<Id extends PayingOperation> {
  params: Operations[Id]['params']
  body?: Operations[Id]['body']
  /** The key of the request, so that a repeated one does not pay again. */
  idempotencyKey?: string
}

async function read<Value>(path: string, init: RequestInit): Promise<Value> {
  let response: Response
  try {
    response = await fetch(path, init)
  } catch (error) {
    throw problemOf(error)
  }
  if (!response.ok) throw await readProblem(response)
  return (await response.json()) as Value
}

/** @throws Problem */
export function call<Id extends PayingOperation>(
  token: string,
  id: Id,
  { params, body, idempotencyKey }: Input<Id>,
): Promise<Success<Id>> {
  const info = operations[id]
  return read(pathOf(info, { params }), {
    method: info.method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** @throws Problem */
export const readConfig = (): Promise<Success<'getConsoleConfig'>> =>
  read(pathOf(operations.getConsoleConfig, {}), {})
