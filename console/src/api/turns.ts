/**
 * Runs acts, a few at a time: the others wait for their turn.
 * @param max how many run at once
 */
export function turnsOf(max: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <Value>(act: () => Promise<Value>): Promise<Value> => {
    if (running < max) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      // The turn goes to the next one.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
