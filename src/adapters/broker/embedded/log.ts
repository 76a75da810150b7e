/** Where the adapter writes the few things that an operator has to know. */

export interface BrokerLog {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
