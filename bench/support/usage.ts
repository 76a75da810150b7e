/**
 * Reads the options of a program. Their fault is printed in a line before the usage; the exit code
 * is then 2.
 */
export function orUsage<T>(usage: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    return process.exit(2)
  }
}
