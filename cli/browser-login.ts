/**
 * Signs in by the browser, as RFC 8252 describes it for programs on a person's computer: the page
 * of the console gives a code to a port of the loopback interface, and the code is worth something
 * only together with a secret that never leaves this process (RFC 7636).
 */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { createClient } from '../sdk/client.ts'
import { type SessionTokens, tokensOf } from '../sdk/session.ts'
import { CommandFailure } from './failure.ts'
import { say } from './output.ts'

const WAIT_MS = 300_000

const random = (): string => randomBytes(32).toString('base64url')

/** The code that the terminal and the page both show: 32 bits of the challenge. */
export const shownCode = (challenge: string): string =>
  (Buffer.from(challenge, 'base64url').toString('hex').slice(0, 8).match(/.{4}/g) ?? [])
    .join('-')
    .toUpperCase()

/** The program that opens an address in the browser, with its arguments before that. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens the person's browser, if there is one; the address is printed anyway. */
function openBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

/** The base of relative addresses. */
const LOCAL = 'http://127.0.0.1'

/** The parameters from the browser. */
type Brought = { code: string } | { refused: true }

/** @returns undefined for requests that are not from the page that was opened */
function read({ url = '' }: IncomingMessage, state: string): Brought | undefined {
  if (!URL.canParse(url, LOCAL)) return undefined
  const { searchParams: query, pathname } = new URL(url, LOCAL)
  if (pathname !== '/' || query.get('state') !== state) return undefined
  const code = query.get('code')
  return code === null ? { refused: true } : { code }
}

/** Waits for the browser, and sends it on to a page of the console that says what happened. */
function receive(server: Server, origin: string, state: string): Promise<Brought> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new CommandFailure('Nobody has allowed it in the browser within five minutes.'))
    }, WAIT_MS)
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const brought = read(request, state)
      if (brought === undefined) return response.writeHead(404).end()
      const done = 'code' in brought ? 'allowed' : 'refused'
      const headers = { location: `${origin}/console/cli?done=${done}`, connection: 'close' }
      clearTimeout(timer)
      return response.writeHead(303, headers).end(() => resolve(brought))
    })
  })
}

/** As text of a header: names of computers may have any letters. */
const hostName = (): string =>
  hostname()
    .replaceAll(/[^ -~]/g, '?')
    .slice(0, 60)

/**
 * @param opens whether the browser is opened
 * @throws CommandFailure if the person refuses, or does nothing for five minutes
 */
export async function signInByBrowser(origin: string, opens: boolean): Promise<SessionTokens> {
  const [verifier, state] = [random(), random()]
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const port = String((server.address() as AddressInfo).port)
    const query = new URLSearchParams({ challenge, port, state, host: hostName() })
    const url = `${origin}/console/cli?${query.toString()}`
    say(`Allow it in the browser on this computer, if the page shows ${shownCode(challenge)}:`)
    say(url)
    if (opens) openBrowser(url)
    const brought = await receive(server, origin, state)
    if ('refused' in brought) throw new CommandFailure('It was refused in the browser.')
    const client = createClient({ baseUrl: origin })
    const tokens = await client.call('exchangeAuthorizationCode', {
      body: { code: brought.code, code_verifier: verifier },
      headers: { 'user-agent': `mooring-cli on ${hostName()}` },
    })
    return tokensOf(tokens)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
