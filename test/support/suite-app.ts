/** One service for a whole suite of tests, closed with everything that hangs on it. */
import { after, before } from 'node:test'
import { startApp, type StartOptions, type TestApp } from './app.ts'

/** Call it in a suite's body; the returned function gives the service inside of tests. */
export function useApp(options: StartOptions = {}): () => TestApp {
  const closers: (() => unknown)[] = []
  let app: TestApp | undefined
  before(async () => {
    app = await startApp({ after: (close) => void closers.push(close as () => unknown) }, options)
  })
  after(async () => {
    // The service lets go of its database before the database is dropped.
    for (const close of closers.toReversed()) await close()
  })
  return () => {
    if (app === undefined) throw new Error('the service is there inside of tests only')
    return app
  }
}
