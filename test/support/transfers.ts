/** Sending files of devices and reading what comes back. */
import assert from 'node:assert/strict'
import { as, type TestApp } from './app.ts'
import type { SeededWorkspace } from './seed.ts'

export interface Result {
  line: number
  status: 'created' | 'updated' | 'unchanged' | 'failed'
  device_id?: string
  device_key?: string
  mqtt_credentials?: { username: string; password: string; port: number }
  device_http_token?: string
  code?: string
  message?: string
  errors?: { pointer: string; message: string }[]
}

const NDJSON = 'application/x-ndjson'

interface Sending {
  workspace?: SeededWorkspace
  query?: string
  type?: string
}

const pathOf = ({ id }: { id: string }, name: string, query = ''): string =>
  `/workspaces/${id}/devices/${name}${query}`

/** Sends a text as it is. */
export const sendFile = (app: TestApp, text: string | Buffer, sending: Sending = {}) => {
  const { workspace = app.seed, query, type = NDJSON } = sending
  return app.call('POST', pathOf(workspace, 'import', query), {
    as: as.platformKey(workspace.platformKey),
    headers: { 'content-type': type },
    body: text,
  })
}

const resultsIn = (text: string): Result[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Result)

/** Sends rows: objects as NDJSON, one text as CSV. */
export async function importRows(
  app: TestApp,
  rows: readonly (object | string)[] | string,
  sending: Sending = {},
): Promise<Result[]> {
  const isCsv = typeof rows === 'string'
  const text = isCsv
    ? rows
    : rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n')
  const response = await sendFile(app, text, { type: isCsv ? 'text/csv' : NDJSON, ...sending })
  assert.equal(response.status, 200, response.text)
  return resultsIn(response.text)
}

/** How many results have each status. */
export function tally(results: readonly Result[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export async function exportFile(
  app: TestApp,
  workspace: SeededWorkspace,
  query = '',
): Promise<string> {
  const response = await app.call('GET', pathOf(workspace, 'export', query), {
    as: as.platformKey(workspace.platformKey),
  })
  assert.equal(response.status, 200, response.text)
  return response.text
}

export type Exported = Record<string, unknown> & { device_key: string }

export const exportRows = async (
  app: TestApp,
  workspace: SeededWorkspace,
  query = '',
): Promise<Exported[]> =>
  (await exportFile(app, workspace, query))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Exported)
