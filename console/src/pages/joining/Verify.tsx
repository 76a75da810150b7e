/** Makes the account whose address the link proves. */
import { useNavigate } from '@tanstack/react-router'
import { useChange } from '../../api/hooks.ts'
import { acceptSession } from '../../session/session.ts'
import { useConfig } from '../../session/config.ts'
import { Incomplete, LinkPage, Renewable } from './LinkPage.tsx'
import { NameAndPassword } from './NameAndPassword.tsx'
import { t } from './translations.ts'

function Make({ token }: { token: string }) {
  const confirm = useChange('confirmRegistration')
  const navigate = useNavigate()
  const submit = (person: { name: string; password: string }): void =>
    confirm.mutate(
      { body: { token, ...person } },
      {
        onSuccess: (session) => {
          acceptSession(session)
          void navigate({ to: '/' })
        },
      },
    )
  return (
    <NameAndPassword
      act={t('Create account')}
      busy={confirm.isPending}
      problem={confirm.error}
      onSubmit={submit}
    />
  )
}

function Missing() {
  const { data: config } = useConfig()
  if (config?.registration === 'open') return <Renewable to="/sign-up" />
  return <Incomplete>{t('Go back to the e-mail and open the link from there.')}</Incomplete>
}

export default function Verify() {
  return (
    <LinkPage title={t('Create account')} missing={<Missing />}>
      {(token) => <Make token={token} />}
    </LinkPage>
  )
}
