/** Lists of the workspace of a seed, asked with filters. */
import assert from 'node:assert/strict'
import { as, type CallResult, type TestApp } from './app.ts'

export const list = ({ call, seed }: TestApp, path: string, query: object): Promise<CallResult> =>
  call('GET', `/workspaces/${seed.id}/${path}?${new URLSearchParams({ ...query }).toString()}`, {
    as: as.platformKey(seed.platformKey),
  })

/** Asserts what each filter shows, all pages of it, by one member of the items. */
export async function expectEach(
  app: TestApp,
  path: string,
  member: string,
  expected: [filter: string, shown: string[]][],
): Promise<void> {
  for (const [filter, shown] of expected) {
    const found: string[] = []
    let cursor: string | null = null
    do {
      const query = { filter, limit: '2', ...(cursor && { cursor }) }
      const { status, body, text }: CallResult = await list(app, path, query)
      assert.equal(status, 200, `${filter}: ${text}`)
      found.push(...body.items.map((item: Record<string, string>) => item[member]))
      cursor = body.next_cursor
    } while (cursor !== null)
    assert.deepEqual(found, shown, filter)
  }
}
