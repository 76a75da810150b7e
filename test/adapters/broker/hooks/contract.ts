/** The facts about one kind of broker for the tests of the hooks. */
export interface HookResponse {
  status: number
  type: string
  text: string
}

export interface Client {
  username: string
  password: string
  clientId: string
}

/** Asks a hook below `/hooks/{broker}/`, and shows the broker's secret. */
export type Ask = (
  path: string,
  body: Record<string, unknown> | string,
  headers?: Record<string, string>,
) => Promise<HookResponse>

export interface Contract {
  kind: string
  /** Each resolves as the broker decides. */
  connect(ask: Ask, client: Client): Promise<boolean>
  publish(ask: Ask, client: Client, topic: string): Promise<boolean>
  subscribe(ask: Ask, client: Client, filter: string): Promise<boolean>
  /** A path, a body for it, and whether the response accepts anything. */
  probe: {
    path: string
    body: Record<string, string | number>
    isForm?: true
    headers?: Record<string, string>
  }
  letsIn: (response: HookResponse) => boolean
  /** Whether no response but a clear refusal is safe. */
  needsDeny: boolean
  /** How the broker presents its secret. */
  scheme: 'bearer' | 'basic'
  /** Whether the broker has no shared subscriptions. */
  lacksShared?: true
  /** Whether the broker may only read the status of a response. */
  allowsByStatus?: true
}

export const ADDRESS = '203.0.113.9'

export const form = (fields: Record<string, string>): string =>
  new URLSearchParams(fields).toString()
