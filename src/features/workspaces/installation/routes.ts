/** Operations of the web console on a new installation. */
import { operation } from '../../../context.ts'
import { CONSOLE_BASE } from '../../../platform/http/operation.ts'
import { setUp } from './first-setup.ts'
import { SetUp, SetUpDone } from './schema.ts'

export const setupOperations = [
  operation({
    id: 'setUp',
    base: CONSOLE_BASE,
    route: 'POST /setup',
    tag: 'Sign-in',
    access: 'public',
    bucket: 'auth',
    idempotency: 'own',
    body: SetUp,
    returns: { 201: SetUpDone },
    fails: ['link_not_found', 'slug_taken', 'slug_fixed'],
    example: {
      token: 'link_…',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      password: 'correct horse battery staple',
      workspace_name: 'Engines',
      workspace_slug: 'engines',
    },
    run: (context, { body }) => setUp(context, body),
  }),
]
