/** The requests of a browser with the link that a first start prints. */
import assert from 'node:assert/strict'
import { type Service, signIn } from './service.ts'

/** Sets up the first account and workspace, and signs in. @returns the token of the link */
export async function setUpByLink(service: Service): Promise<string> {
  const { stdout } = service.output
  const [, origin = '', token = ''] =
    /(http\S+)\/console\/setup#token=(link_\w+)/.exec(stdout) ?? []
  assert.ok(token, stdout)
  const person = { email: 'ada@example.org', name: 'Ada', password: 'seven seas and a lamp' }
  const response = await fetch(`${origin}/console/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token, ...person, workspace_name: 'A', workspace_slug: 'harbour' }),
  })
  assert.equal(response.status, 201, await response.text())
  await signIn(service, { ...person, workspace: 'harbour' })
  return token
}
