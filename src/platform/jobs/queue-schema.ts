/** The schema `graphile_worker`, which the library creates and migrates itself. */
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'

const silent = new Logger(() => () => {})

/** Creates or updates the queue's tables; running services are not affected. */
export async function migrateQueue(connection: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...connection, max: 1 })
  // A lost connection also fails the pending query; an unhandled `error` event would end the
  // process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool: pool, logger: silent })
  } finally {
    await pool.end()
  }
}
