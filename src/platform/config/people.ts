/** Variables of the console, of mail, and of how people get accounts. */
import { choice, optional } from './kinds.ts'

export const peopleVariables = {
  origin: optional(
    'MOORING_ORIGIN',
    'http://127.0.0.1 with the port of the API',
    'Scheme and authority under which callers reach the API, for links and problem types.',
  ),
  consoleUrl: optional(
    'MOORING_CONSOLE_URL',
    'the origin of the API with the path /console',
    'Where people use the console, as https://console.example.com: links in mail lead there.',
  ),
  registration: choice(
    'MOORING_REGISTRATION',
    ['invited', 'open', 'closed'],
    'invited',
    'Accounts that people create in the console: only after an invitation to a workspace, by everyone, or none.',
  ),
  invitationLinks: choice(
    'MOORING_INVITATION_LINKS',
    ['auto', 'on', 'off'],
    'auto',
    'Whether people who invite someone can copy the link. It lets anyone in who has it. With auto only while no mail server is configured.',
  ),
  console: choice(
    'MOORING_CONSOLE',
    ['on', 'off'],
    'on',
    'Whether the API also serves the console, at /console/.',
  ),
  ssoFile: optional(
    'MOORING_SSO_FILE',
    'no single sign-on',
    'JSON file with the identity providers (OpenID Connect) that people can sign in with. It is read at the start.',
  ),
  consoleAdmin: choice(
    'MOORING_CONSOLE_ADMIN',
    ['on', 'off'],
    'on',
    'Whether operators see the installation in the console. An account is made one of an operator on the command line.',
  ),
  smtpUrl: optional(
    'MOORING_SMTP_URL',
    'mail stays in the outbox',
    'Mail server, as smtps://user:password@mail.example.com (TLS from the start) or smtp:// (STARTTLS if it is offered).',
    true,
  ),
  mailFrom: optional(
    'MOORING_MAIL_FROM',
    'required with MOORING_SMTP_URL',
    'Sender of mail, as mooring@example.com or Mooring <mooring@example.com>.',
  ),
} as const
