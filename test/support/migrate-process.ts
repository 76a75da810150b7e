// Migrates in a separate process that a test can kill. Arguments: the connection as JSON, and the
// folder. Prints the runner's log, and "done" at the end.
import { Client, type ClientConfig } from 'pg'
import { migrate } from '../../src/platform/database/migrate.ts'

const [connection = '{}', folder = ''] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)

const connect = async () => {
  const client = new Client(JSON.parse(connection) as ClientConfig)
  await client.connect()
  return client
}
await migrate(connect, folder, say)
say('done')
