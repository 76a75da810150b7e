/** Tries of claim codes: concurrent ones are checked one after the other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { DeviceCaller } from '../../../../src/platform/access/principal.ts'
import { Failure, type FailureCode } from '../../../../src/platform/errors/errors.ts'
import { tryCode } from '../../../../src/features/mobile/claim-bindings/code-tries.ts'
import { createRateLimits, type Limits } from '../../../../src/platform/http/rate-limit.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'

function tryingContext() {
  const limits = { claim: { points: 5, seconds: 600 } } as Limits
  const caller: DeviceCaller = {
    kind: 'device',
    workspaceId: newUuid(),
    deviceId: newUuid(),
    isApproved: true,
  }
  return {
    caller,
    nodeId: newUuid(),
    rateLimits: createRateLimits(
      limits,
      (_name, { points, seconds }) => new RateLimiterMemory({ points, duration: seconds }),
    ),
  }
}

test('five of sixty concurrent wrong codes are checked', async () => {
  for (const failure of ['claim_code_unknown', 'claim_code_used', 'claim_code_expired'] as const) {
    const context = tryingContext()
    const checked: FailureCode[] = []
    const responses = await Promise.all(
      Array.from({ length: 60 }, () =>
        tryCode(context, async (refusal) => {
          if (refusal !== undefined) throw refusal
          checked.push(failure)
          await new Promise((resolve) => setImmediate(resolve))
          throw new Failure(failure)
        }).catch((error: Failure) => error.code),
      ),
    )
    assert.equal(checked.length, 5)
    const expected = Array.from({ length: 60 }, (_, at) => (at < 5 ? failure : 'rate_limited'))
    assert.deepEqual(responses, expected)
  }
})

test('a call without a guess costs no attempt', async () => {
  const context = tryingContext()
  for (const failure of ['device_already_claimed', 'credential_rejected', 'unavailable'] as const) {
    for (let at = 0; at < 6; at += 1) {
      const refused = tryCode(context, (refusal) => {
        assert.equal(refusal, undefined)
        return Promise.reject(new Failure(failure))
      })
      await assert.rejects(refused, { code: failure })
    }
  }
  assert.equal(await tryCode(context, (refusal) => Promise.resolve(refusal)), undefined)
})
