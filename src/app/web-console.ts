/** The settings of the web console. */
import { readFileSync } from 'node:fs'
import type { WebConsole } from '../context.ts'
import type { Config } from '../platform/config/config.ts'

function versionOfService(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

export function webConsoleOf(config: Config, origin: () => string): WebConsole {
  const given = config.consoleUrl?.replace(/(?<!\/)\/+$/, '')
  const hasMail = config.smtpUrl !== undefined
  return {
    version: versionOfService(),
    registration: config.registration,
    hasMail,
    showsInvitationLinks:
      config.invitationLinks === 'on' || (config.invitationLinks === 'auto' && !hasMail),
    url: () => given ?? `${origin()}/console`,
  }
}
