/**
 * Loads what nearly all test files load, so that it is in the compile cache before the processes of
 * a run start. They start at the same time, so without this each of them would strip and compile
 * the whole service by itself. Node writes the cache when the process ends.
 */
await import('./suite-app.ts')
