/** Schemas of what people do with a link that was mailed to them. */
import Type, { type Static } from 'typebox'
import { LinkToken, Name, NamedObject, NewPassword } from '../../common/shapes.ts'

export const GivenAddress = Type.Object({ email: Type.String({ minLength: 1, maxLength: 320 }) })
export const Accepted = NamedObject('Accepted', {})

export const ConfirmPasswordReset = Type.Object({ token: LinkToken, password: NewPassword })
export type ConfirmPasswordReset = Static<typeof ConfirmPasswordReset>

export const ConfirmEmailChange = Type.Object({ token: LinkToken })
export const ConfirmedEmail = NamedObject('ConfirmedEmail', { email: Type.String() })
export type ConfirmedEmail = Static<typeof ConfirmedEmail>

export const ConfirmRegistration = Type.Object({
  token: LinkToken,
  name: Name,
  password: NewPassword,
})
export type ConfirmRegistration = Static<typeof ConfirmRegistration>
