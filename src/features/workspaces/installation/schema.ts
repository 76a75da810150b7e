/** Schemas of setting up the account of the first start. */
import Type, { type Static } from 'typebox'
import { consoleSession } from '../../common/console-session.ts'
import { Id, LinkToken, Name, NamedObject, NewPassword } from '../../common/shapes.ts'

export const SetUp = Type.Object({
  token: LinkToken,
  email: Type.String({ minLength: 3, maxLength: 254 }),
  name: Name,
  password: NewPassword,
  workspace_name: Name,
  workspace_slug: Type.String({ pattern: '^[a-z][a-z0-9-]{1,38}[a-z0-9]$' }),
})
export type SetUp = Static<typeof SetUp>

export const SetUpDone = NamedObject('ConsoleSessionInWorkspace', {
  ...consoleSession,
  workspace_id: Id('ws'),
})
export type SetUpDone = Static<typeof SetUpDone>
