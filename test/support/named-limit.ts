/** The content of every 429: the limit, its size, and when it is free again. */
import assert from 'node:assert/strict'

export interface LimitedResponse {
  status: number
  headers: Record<string, string>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses freely
  body: any
}

/** Called with each 429 that any test gets. */
export function assertLimitNamed({ headers, body }: LimitedResponse): void {
  const { name, value, reset_seconds: seconds } = body.limit ?? {}
  assert.ok(typeof name === 'string' && Number.isInteger(value), JSON.stringify(body))
  assert.ok(Number.isInteger(seconds) && seconds >= 1, JSON.stringify(body))
  assert.equal(headers['retry-after'], String(seconds))
  assert.equal(headers['x-ratelimit-limit'], String(value))
  assert.equal(headers['x-ratelimit-remaining'], '0')
  assert.equal(headers['x-ratelimit-reset'], String(seconds))
  assert.equal(headers.ratelimit, `"${name}";r=0;t=${seconds}`)
  assert.match(headers['ratelimit-policy'] ?? '', new RegExp(`^"${name}";q=${value}(;w=\\d+)?$`))
}
