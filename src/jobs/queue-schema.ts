/** The schema `graphile_worker`, in which the library keeps what waits; it makes it by itself. */
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'

const silent = new Logger(() => () => {})

/** Makes or updates the queue's own tables; services that run meanwhile go on. */
export async function migrateQueue(connection: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...connection, max: 1 })
  // A lost connection fails the pending query as well; unheard it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool: pool, logger: silent })
  } finally {
    await pool.end()
  }
}
