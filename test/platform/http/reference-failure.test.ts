/** The reference when its program can't be loaded: a failure of that request alone. */
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createReference } from '../../../src/platform/http/reference.ts'

test('a program that could not be loaded is loaded the next time, and the stop takes no harm', async () => {
  let isBroken = true
  registerHooks({
    resolve(specifier, context, next) {
      if (isBroken && specifier.startsWith('@scalar/')) throw new Error('no such disk')
      return next(specifier, context)
    },
  })
  const open = async () => {
    const app = Fastify()
    createReference([], {})(app)
    const status = async () => (await app.inject('/api/v1/reference/js/scalar.js')).statusCode
    return { app, status }
  }
  const unlucky = await open()
  assert.equal(await unlucky.status(), 500)
  await unlucky.app.close()

  const lucky = await open()
  assert.equal(await lucky.status(), 500)
  isBroken = false
  assert.equal(await lucky.status(), 200)
  await lucky.app.close()
})
