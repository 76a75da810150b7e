/**
 * The part of the installation area of the console that the process contributes: state and
 * settings.
 */
import type { ServiceStatus, Settings } from '../features/operator/service/schema.ts'
import { hostInUrl } from '../platform/lib/networks.ts'
import type { HealthSource } from '../features/operator/service/service-state.ts'
import { type Config, surveyConfig } from '../platform/config/config.ts'
import { findingsOf } from './status-findings.ts'
import type { Part } from './part.ts'

export const hasInstallationArea = ({
  console: served,
  consoleAdmin,
}: Pick<Config, 'console' | 'consoleAdmin'>): boolean => served === 'on' && consoleAdmin === 'on'

const TIMEOUT_MS = 10_000

/** An address to listen on is not always one to connect to. */
export const reachableHost = (host: string): string =>
  hostInUrl(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)

/** From the main process, which alone has the brokers and the background tasks. */
async function readFromMain({
  operatorHost,
  operatorPort,
}: Pick<Config, 'operatorHost' | 'operatorPort'>): Promise<ServiceStatus> {
  const url = `http://${reachableHost(operatorHost)}:${operatorPort}/status`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${url} answered with ${response.status}`)
  return (await response.json()) as ServiceStatus
}

export function createHealth(config: Config, part: Part): HealthSource {
  let statusOfThis: (() => Promise<ServiceStatus>) | undefined
  const statusOf = (): Promise<ServiceStatus> => {
    if (part.kind === 'http') return readFromMain(config)
    if (statusOfThis === undefined) throw new Error('the listeners are not made yet')
    return statusOfThis()
  }
  return {
    async read() {
      const status = await statusOf()
      return { status, findings: findingsOf(status, Date.now()) }
    },
    provide(read) {
      statusOfThis = read
    },
  }
}

/** As `mooring config` prints them. */
export const settingsOf = (): Settings => ({
  items: surveyConfig().variables.map(({ isSet, hasDefault, ...rest }) => ({
    ...rest,
    has_default: hasDefault,
    is_set: isSet,
  })),
})
