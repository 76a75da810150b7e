/** Questions of commands to the person at the terminal. */
import { createInterface } from 'node:readline/promises'

/** Asks on the terminal until the input can be used; an empty line takes the proposal. */
export async function ask<T>(
  question: string,
  read: (answer: string) => T | undefined,
): Promise<T> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    for (;;) {
      const answer = read((await terminal.question(`${question} `)).trim())
      if (answer !== undefined) return answer
    }
  } finally {
    terminal.close()
  }
}
