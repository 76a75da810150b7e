/** Explains which setting is responsible if the service cannot listen. */
import { type Config, ConfigError } from '../../platform/config/config.ts'
import { CommandFailure } from '../command.ts'
import type { StartFailure } from './process-messages.ts'

const listenersOf = (config: Config) =>
  [
    { name: 'HTTP', host: config.httpHost, port: config.httpPort },
    { name: 'OPERATOR', host: config.operatorHost, port: config.operatorPort },
    { name: 'MQTT', host: config.mqttHost, port: config.mqttPort },
    { name: 'MQTT_TLS', host: config.mqttHost, port: config.mqttTlsPort },
    { name: 'MQTT_WS', host: config.mqttHost, port: config.mqttWsPort },
    { name: 'MQTT_WSS', host: config.mqttHost, port: config.mqttWssPort },
  ] as const

/** The failure in terms of the variable; other errors are returned unchanged. */
export function listenFailure(error: unknown, config: Config): unknown {
  if (!(error instanceof Error)) return error
  const { code, syscall, port, address, hostname } = error as StartFailure
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error
  const listeners = listenersOf(config)
  const byHost = listeners.find(({ host }) => host === (hostname ?? address))?.name
  const byPort = listeners.find((listener) => listener.port === port)?.name
  switch (code) {
    case 'EADDRINUSE':
      return new CommandFailure(
        `Port ${port} is in use: stop the process that listens there, or set MOORING_${byPort}_PORT to another port.`,
      )
    case 'EACCES':
      return new CommandFailure(
        `Port ${port} is not permitted for this user: set MOORING_${byPort}_PORT to one from 1024 on.`,
      )
    case 'EADDRNOTAVAIL':
      return new ConfigError(
        `MOORING_${byHost}_HOST is ${address}, which is not an address of this machine`,
      )
    case 'ENOTFOUND':
      return new ConfigError(`MOORING_${byHost}_HOST is ${hostname}, which has no address`)
    default:
      return error
  }
}
