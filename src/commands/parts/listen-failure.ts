/** Tells which setting is to blame when the service can't listen. */
import { type Config, ConfigError } from '../../config.ts'
import { CommandFailure } from './command.ts'

interface ListenError extends Error {
  code?: string
  syscall?: string
  port?: number
  address?: string
  hostname?: string
}

const listenersOf = (config: Config) =>
  [
    { name: 'HTTP', host: config.httpHost, port: config.httpPort },
    { name: 'OPERATOR', host: config.operatorHost, port: config.operatorPort },
    { name: 'MQTT', host: config.mqttHost, port: config.mqttPort },
  ] as const

/** The same failure in words that name the variable; an error of another kind stays as it is. */
export function listenFailure(error: unknown, config: Config): unknown {
  if (!(error instanceof Error)) return error
  const { code, syscall, port, address, hostname } = error as ListenError
  const listeners = listenersOf(config)
  const byPort = listeners.find((listener) => listener.port === port)?.name
  const byHost = listeners.find(({ host }) => host === (hostname ?? address))?.name
  if (syscall === 'getaddrinfo' && byHost !== undefined) {
    return new ConfigError(`MOORING_${byHost}_HOST is ${hostname}, which has no address`)
  }
  if (syscall !== 'listen' || byPort === undefined) return error
  const variable = `MOORING_${byPort}_PORT`
  switch (code) {
    case 'EADDRINUSE':
      return new CommandFailure(
        `Port ${port} is in use: stop what listens there, or set ${variable} to another port.`,
      )
    case 'EACCES':
      return new CommandFailure(
        `Port ${port} may not be used by this user: set ${variable} to one from 1024 on.`,
      )
    case 'EADDRNOTAVAIL':
      return new ConfigError(`MOORING_${byPort}_HOST is ${address}, which this machine has not`)
    default:
      return error
  }
}
