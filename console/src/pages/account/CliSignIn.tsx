/**
 * Lets the command line on this computer sign in. The code that it gets is sent to this computer
 * only: to a port of the loopback interface, where the program listens.
 */
import { useState } from 'react'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Code } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { rich, t } from './translations.ts'

/** The parameters that the command line has put into the address. */
interface Asked {
  challenge: string
  port: string
  state: string
  host: string
}

/** A port in the address is read as a number. */
function askedOf(given: Partial<Record<keyof Asked, string | number>>): Asked | undefined {
  const text = (name: keyof Asked): string => String(given[name] ?? '')
  const [challenge, port, state] = [text('challenge'), text('port'), text('state')]
  const isWhole = /^[\w-]{43}$/.test(challenge) && /^[\w-]{20,100}$/.test(state)
  // Ports of ordinary programs, and of this computer alone: nothing else can be named.
  const isPort = /^\d{4,5}$/.test(port) && Number(port) >= 1_024 && Number(port) <= 65_535
  if (!isWhole || !isPort) return undefined
  return { challenge, port, state, host: text('host').slice(0, 60) }
}

/** The same as in `cli/browser-login.ts`: 32 bits of the challenge. */
function shownCode(challenge: string): string {
  const bytes = atob(challenge.slice(0, 8).replaceAll('-', '+').replaceAll('_', '/'))
  const hex = Array.from({ length: 4 }, (_, index) =>
    bytes.charCodeAt(index).toString(16).padStart(2, '0'),
  ).join('')
  return `${hex.slice(0, 4)}-${hex.slice(4, 8)}`.toUpperCase()
}

/** Gives the browser to the program, which sends it back here. */
function hand({ port, state }: Asked, code?: string): void {
  const query = new URLSearchParams({ state, ...(code !== undefined && { code }) })
  window.location.assign(`http://127.0.0.1:${port}/?${query.toString()}`)
}

function Ask({ asked }: { asked: Asked }) {
  const me = useRead('getMe')
  const create = useChange('createAuthorizationCode')
  const body = { code_challenge: asked.challenge }
  useNextCall('createAuthorizationCode', { body })
  const [isGone, setGone] = useState(false)
  const refuse = (): void => {
    setGone(true)
    hand(asked)
  }
  const allow = (): void =>
    create.mutate(
      { body },
      {
        onSuccess: ({ code }) => {
          setGone(true)
          hand(asked, code)
        },
      },
    )
  return (
    <Panel title={t('The command line asks to sign in')}>
      <Stack>
        <p>
          {rich(
            'It says that it runs on {host}. If you allow it, it acts as {you}, with all your rights, until you end its session under {page}.',
            {
              host: <strong>{asked.host || t('this computer')}</strong>,
              you: <strong>{me.data?.email ?? t('you')}</strong>,
              page: <em>{t('Sessions')}</em>,
            },
          )}
        </p>
        <p>
          {rich('Your terminal shows a code, too. Is it {code}?', {
            code: <code>{shownCode(asked.challenge)}</code>,
          })}
        </p>
        <Note tone="warn" title={t('Only if you have just typed mooring login')}>
          {t('Somebody who has sent you a link to this page wants your account.')}
        </Note>
        {create.error !== null && <ProblemNote problem={create.error} />}
        <FormActions>
          <Button kind="primary" busy={create.isPending || isGone} onClick={allow}>
            {t('The codes are the same: allow')}
          </Button>
          <Button onClick={refuse}>{t('Refuse')}</Button>
        </FormActions>
      </Stack>
    </Panel>
  )
}

export default function CliSignIn() {
  const [given] = useSearchState<Record<keyof Asked | 'done', string>>()
  const asked = askedOf(given)
  const { done } = given
  return (
    <Page title={t('Command line')}>
      {done === 'allowed' && (
        <Note tone="ok" title={t('The command line has signed in')}>
          {t('Go back to your terminal. You can close this page.')}
        </Note>
      )}
      {done === 'refused' && (
        <Note tone="info" title={t('The command line has not signed in')}>
          {t('You can close this page.')}
        </Note>
      )}
      {done === undefined && asked !== undefined && <Ask asked={asked} />}
      {done === undefined && asked === undefined && (
        <Note tone="warn" title={t('The link from the terminal is incomplete')}>
          <Stack>
            <p>
              {rich('This page signs in the {mooring} command line.', {
                mooring: <code>{'mooring'}</code>,
              })}{' '}
              {t('Copy the whole link from the terminal, or start again there:')}
            </p>
            <Code label={t('Command')}>{'mooring login'}</Code>
          </Stack>
        </Note>
      )}
    </Page>
  )
}
