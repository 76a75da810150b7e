// A stand-in for the service, to be killed: it starts the embedded database of a data folder and
// says on standard output what happens, a line at a time:
//
//   ready                  the database takes connections
//   acknowledged <n>       the row n was committed (with --insert)
//   interrupted, <count>   SIGINT came, and the database could still be asked afterwards
//   failed <name> <text>   the start was refused
//
// It runs until it is killed, or until its standard input ends; then it stops the database.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts'

const [dataDir = '', ...flags] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: () => {},
    ...(flags.includes('--other-user') ? { forceIdentity: 'other-user' } : {}),
  })
  const client = new Client(postgres.connection)
  await client.connect()
  await client.query('CREATE TABLE IF NOT EXISTS numbers (n bigint PRIMARY KEY)')
  process.on('SIGINT', () => {
    void (async () => {
      // Long enough for a server that had the signal too to act on it.
      await sleep(500)
      const result = await client.query<{ count: string }>('SELECT count(*) FROM numbers')
      say(`interrupted, ${result.rows[0]?.count}`)
    })()
  })
  say('ready')
  const stop = new AbortController()
  process.stdin.resume().once('end', () => stop.abort())
  let next = await greatest(client)
  while (!stop.signal.aborted) {
    if (flags.includes('--insert')) {
      next += 1
      await client.query('INSERT INTO numbers VALUES ($1)', [next])
      say(`acknowledged ${next}`)
    } else await sleep(20)
  }
  await client.end()
  await postgres.stop()
}

async function greatest(client: Client): Promise<number> {
  const result = await client.query<{ n: string | null }>('SELECT max(n) AS n FROM numbers')
  return Number(result.rows[0]?.n ?? 0)
}

await main().catch((error: Error) => {
  say(`failed ${error.name} ${error.message.replaceAll('\n', ' ')}`)
  process.exitCode = 1
})
