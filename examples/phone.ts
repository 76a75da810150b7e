/**
 * A phone: gets an identity without a password, shows a one-time code for a device to claim, waits
 * until a device has used it, and lists its devices. The session is kept in a file, as an app
 * would.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { MoidSession } from '../sdk/schema.ts'
import { fail, openClient, readOptions, url } from './api.ts'

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

/** The stored session with fresh tokens, or a new one for a new phone. */
async function openSession(): Promise<MoidSession> {
  const client = openClient(values.url, {})
  const kept = existsSync(values.session)
    ? (JSON.parse(readFileSync(values.session, 'utf8')) as MoidSession)
    : undefined
  const session = kept
    ? await client.call('refreshMoidSession', { body: { refresh_token: kept.refresh_token } })
    : await client.call('startMoidSession')
  writeFileSync(values.session, `${JSON.stringify(session)}\n`, { mode: 0o600 })
  return session
}

async function main(workspace_id = ''): Promise<void> {
  const { access_token: token } = await openSession()
  const client = openClient(values.url, { token })
  if (!values.list) {
    const { claim_id, claim_code } = await client.call('createClaim', {
      body: { workspace_id, name: 'Kitchen' },
    })
    console.log(`claim code: ${claim_code}`)
    const isSettled = ({ status }: { status: string }): boolean => status !== 'open'
    const { status } = await client.poll('getClaim', { params: { claim_id } }, isSettled)
    console.log(`the claim is ${status}`)
  }
  const { items } = await client.call('listMoidDevices')
  for (const { name, device_key: key, connected } of items) {
    console.log(`${name}: ${key}, ${connected ? 'online' : 'offline'}`)
  }
}

if (values.workspace === undefined && !values.list) fail(new Error(help))
else await main(values.workspace).catch(fail)
