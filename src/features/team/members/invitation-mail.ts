/** The text of invitation mails. */
import type { Role } from '../../../platform/access/permissions.ts'
import type { Services } from '../../../context.ts'

/** A name within a line, stripped of anything that could start a new line. */
const inLine = (name: string): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** Subject and text. The token is in the link's fragment, which browsers do not send to servers. */
export function invitationMail(
  { consoleUrl, origin }: Pick<Services, 'consoleUrl' | 'origin'>,
  invitation: { workspaceName: string; role: Role; token: string; expiresAt: number },
): { subject: string; text: string } {
  const { role, token, expiresAt } = invitation
  const name = inLine(invitation.workspaceName)
  const call = `POST ${origin()}/api/v1/invitations/accept {"token":"${token}"}`
  const way =
    consoleUrl === undefined
      ? ['Sign in with this e-mail address, and accept it with this call:', '', call]
      : [
          'Sign in with this e-mail address, and follow this link:',
          '',
          `${consoleUrl}/invitations#token=${token}`,
        ]
  return {
    subject: `Invitation to the workspace ${name}`,
    text: [
      `You are invited to the workspace "${name}" as ${role}.`,
      '',
      ...way,
      '',
      `It can be used once, until ${new Date(expiresAt).toUTCString()}.`,
      'If you expected no invitation, you need do nothing.',
      '',
    ].join('\n'),
  }
}
