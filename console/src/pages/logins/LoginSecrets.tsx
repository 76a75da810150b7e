/** The password of a login, shown once, with code that uses it. */
import { Samples } from '../../kit/Samples.tsx'
import { SecretDialog } from '../../kit/SecretDialog.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { type LoginSecret, loginSamples, secretsOf } from './login-snippets.ts'
import { t } from './translations.ts'

function Programs({ secret }: { secret: LoginSecret }) {
  const { slug } = useWorkspace()
  return (
    <Samples samples={loginSamples(secret, `${slug}/+/state`)}>
      {t('It may subscribe once a rule allows it.')}
    </Samples>
  )
}

interface LoginSecretsProps {
  name: string
  secret: LoginSecret
  /** The fate of the earlier password. */
  note: string
  onClose: () => void
}

export const LoginSecrets = ({ name, secret, note, onClose }: LoginSecretsProps) => (
  <SecretDialog
    title={t('Password of {name}', { name })}
    values={secretsOf(secret)}
    name={name.replaceAll(/[^\w.-]+/g, '-')}
    after={<Programs secret={secret} />}
    onClose={onClose}
  >
    {note}
  </SecretDialog>
)
