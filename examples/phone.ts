/**
 * A phone: gets an identity without a password, shows a one-time code for a device to claim, waits
 * until a device has used it, and lists its devices. The session is kept in a file, as an app
 * would.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { call, fail, readOptions, url } from './api.ts'

const help = `Usage: npx node examples/phone.ts --workspace ws_… [options]

  --workspace <id>       workspace of the device (or WORKSPACE_ID)
  --url <origin>         of the service (or API_URL; http://127.0.0.1:8080)
  --session <file>       where the session is kept; phone.json if left out
  --list                 only list the devices

Example: npx node examples/phone.ts --workspace ws_…`

const values = readOptions(help, {
  workspace: { type: 'string', default: process.env['WORKSPACE_ID'] },
  url,
  session: { type: 'string', default: 'phone.json' },
  list: { type: 'boolean' },
})

interface Session {
  access_token: string
  refresh_token: string
}
interface Claim {
  claim_id: string
  claim_code: string
  status: string
}

/** The stored session with fresh tokens, or a new one for a new phone. */
async function openSession(): Promise<Session> {
  const kept = existsSync(values.session)
    ? (JSON.parse(readFileSync(values.session, 'utf8')) as Session)
    : undefined
  const session = kept
    ? await call<Session>(
        values.url,
        'POST /moid/refresh',
        {},
        { refresh_token: kept.refresh_token },
      )
    : await call<Session>(values.url, 'POST /moid/session', {}, {})
  writeFileSync(values.session, `${JSON.stringify(session)}\n`, { mode: 0o600 })
  return session
}

async function main(workspace: string | undefined): Promise<void> {
  const session = await openSession()
  const headers = { authorization: `Bearer ${session.access_token}` }
  if (!values.list) {
    const body = { workspace_id: workspace, name: 'Kitchen' }
    const claim = await call<Claim>(values.url, 'POST /moid/claims', headers, body)
    console.log(`claim code: ${claim.claim_code}`)
    let { status } = claim
    // Each request waits at the service for up to half a minute (long polling).
    for (const path = `/moid/claims/${claim.claim_id}?wait=30`; status === 'open'; ) {
      status = (await call<Claim>(values.url, `GET ${path}`, headers)).status
    }
    console.log(`the claim is ${status}`)
  }
  const path = 'GET /moid/devices'
  const devices = await call<{ items: { name: string; device_key: string; connected: boolean }[] }>(
    values.url,
    path,
    headers,
  )
  for (const { name, device_key: key, connected } of devices.items) {
    console.log(`${name}: ${key}, ${connected ? 'online' : 'offline'}`)
  }
}

if (values.workspace === undefined && !values.list) fail(new Error(help))
else await main(values.workspace).catch(fail)
