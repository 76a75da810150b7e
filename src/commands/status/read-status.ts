/** Asks the running service for its status; without one, says what is known of it from outside. */
import type { ServiceStatus } from '../../app/status.ts'
import { readConfig } from '../../platform/config/config.ts'
import { isDataFolderLocked } from '../../platform/database/data-folder-lock.ts'
import { describeSystemError } from '../../platform/lib/system-errors.ts'
import { callService } from '../doctor/service-call.ts'
import { invocation } from '../command.ts'
import { reachableHost } from '../../app/installation.ts'
import { findingsOf } from '../../app/status-findings.ts'
import type { Finding } from '../../features/operator/service/schema.ts'

export interface StatusReport {
  /** Where the service was asked. */
  asked: string
  /** Null if it did not respond. */
  service: ServiceStatus | null
  findings: Finding[]
}

const TIMEOUT_MS = 10_000

function unreachable(dataDir: string | undefined, why: string): Finding {
  const isOpen = dataDir !== undefined && isDataFolderLocked(dataDir)
  return {
    level: 'problem',
    text: isOpen
      ? `a service has the data folder, but does not respond: ${why}`
      : `no service responds: ${why}`,
    advice: isOpen
      ? 'It is starting or stopping, hangs, or has another MOORING_OPERATOR_PORT: give this ' +
        'command the same settings, and look at its log.'
      : `Look at the end of its log, and start it: ${invocation} serve, or systemctl start mooring.`,
    page: null,
  }
}

export async function readStatus(): Promise<StatusReport> {
  const config = readConfig()
  const asked = `http://${reachableHost(config.operatorHost)}:${config.operatorPort}/status`
  const { origin, pathname } = new URL(asked)
  try {
    const response = await callService({ origin, trust: {} }, pathname, {}, undefined, TIMEOUT_MS)
    if (response.status !== 200) throw new Error(`it answered with ${response.status}`)
    const service = JSON.parse(response.text) as ServiceStatus
    return { asked, service, findings: findingsOf(service, Date.now()) }
  } catch (error) {
    const folder = config.databaseUrl === undefined ? config.dataDir : undefined
    return { asked, service: null, findings: [unreachable(folder, describeSystemError(error))] }
  }
}
