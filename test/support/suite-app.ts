/** One service for a whole suite of tests, closed with everything that hangs on it. */
import { after, before, type TestContext } from 'node:test'
import { startApp, type StartOptions, type TestApp } from './app.ts'
import { seed } from './seed.ts'

/** Call it in a suite's body; the returned function gives the service inside of tests. */
export function useApp(options: StartOptions = {}): () => TestApp {
  const closers: (() => unknown)[] = []
  let app: TestApp | undefined
  before(async () => {
    app = await startApp({ after: (close) => void closers.push(close as () => unknown) }, options)
  })
  after(async () => {
    // The service closes its database before the database is dropped.
    for (const close of closers.toReversed()) await close()
  })
  return () => {
    if (app === undefined) throw new Error('the service is there inside of tests only')
    return app
  }
}

/**
 * Like `useApp`, and every call gives a seed of its own: for tests that ask for nothing but what
 * belongs to their workspaces, or to accounts and devices that they have made.
 */
export function useTenants(
  options: StartOptions = {},
): (t: Pick<TestContext, 'after'>) => Promise<TestApp> {
  const shared = useApp(options)
  return async (t) => {
    const app = shared()
    const own = await seed(app.app)
    const { connection, masterKey } = app
    return {
      ...app,
      seed: own,
      sibling: (environment = {}) =>
        startApp(t, {
          connection,
          masterKey,
          environment: { ...options.environment, ...environment },
          seed: own,
          ...(options.timeouts && { timeouts: options.timeouts }),
        }),
      close: () => Promise.reject(new Error('a service that other tests use too stays open')),
    }
  }
}
