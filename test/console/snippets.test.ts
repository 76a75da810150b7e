/** The calls of a page as code that runs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { curlOf, pythonLiteral, snippetOf } from '../../console/src/api/snippets.ts'

const call = {
  method: 'POST',
  path: '/api/v1/workspaces/ws_1/devices',
  body: { name: "Ada's lamp", on: true, tags: [null, 1] },
}

test('curl takes the body as it is, quoted for a shell', () => {
  const snippet = snippetOf(call, 'curl', 'https://mooring.example')
  const args = execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }; ${snippet}`], {
    env: { TOKEN: 'secret' },
    encoding: 'utf8',
  }).split('\0')
  assert.equal(args[2], 'https://mooring.example/api/v1/workspaces/ws_1/devices')
  assert.ok(args.includes('Authorization: Bearer secret'))
  assert.deepEqual(JSON.parse(args[args.indexOf('-d') + 1] as string), call.body)
})

test('curl sends another header where a call needs one', () => {
  const header = 'service-auth-code: $PROVISION_KEY'
  const snippet = curlOf({ ...call, path: '/api/v1/provision/device' }, 'https://x', header)
  assert.match(snippet, /-H "service-auth-code: \$PROVISION_KEY"/)
  assert.doesNotMatch(snippet, /Authorization/)
})

test('Python has names of its own for true, false and null', () => {
  assert.equal(pythonLiteral(call.body), `{"name": "Ada's lamp", "on": True, "tags": [None, 1]}`)
})

test('no snippet contains a body where the call has none', () => {
  const get = { method: 'GET', path: '/api/v1/workspaces', body: undefined }
  assert.doesNotMatch(snippetOf(get, 'curl', 'x'), /Content-Type|-d /)
  assert.doesNotMatch(snippetOf(get, 'TypeScript', 'x'), /body/)
  assert.doesNotMatch(snippetOf(get, 'Python', 'x'), /json=/)
})
