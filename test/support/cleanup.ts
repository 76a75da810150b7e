/** Cleanup in reverse order: the resource opened last is closed first. */
import type { TestContext } from 'node:test'

type Step = () => unknown

const stacks = new WeakMap<Pick<TestContext, 'after'>, Step[]>()

/** Runs `step` after the test, before the steps that were named earlier. */
export function defer(t: Pick<TestContext, 'after'>, step: Step): void {
  const known = stacks.get(t)
  if (known !== undefined) {
    known.push(step)
    return
  }
  const steps = [step]
  stacks.set(t, steps)
  t.after(async () => {
    for (const next of steps.toReversed()) await next()
  })
}
