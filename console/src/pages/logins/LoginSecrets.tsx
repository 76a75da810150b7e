/** The password of a login, shown once, with code that uses it. */
import { useState } from 'react'
import { Button } from '../../kit/Button.tsx'
import { Row, Small, Stack } from '../../kit/Layout.tsx'
import { SecretDialog } from '../../kit/SecretDialog.tsx'
import { Code } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { type LoginSecret, loginSamples, secretsOf } from './login-words.tsx'

function Samples({ secret }: { secret: LoginSecret }) {
  const { slug } = useWorkspace()
  const samples = loginSamples(secret, `${slug}/+/state`)
  const [at, setAt] = useState(0)
  const chosen = samples[at] ?? samples[0]
  return (
    <Stack tight>
      <Row>
        {samples.map(({ name }, index) => (
          <Button
            key={name}
            kind={index === at ? 'primary' : 'plain'}
            aria-pressed={index === at}
            onClick={() => setAt(index)}
          >
            {name}
          </Button>
        ))}
      </Row>
      <Small>Needs {chosen?.needs}. It may subscribe once a rule allows it.</Small>
      <Code label={`Code for ${chosen?.name}`}>{chosen?.text ?? ''}</Code>
    </Stack>
  )
}

interface LoginSecretsProps {
  name: string
  secret: LoginSecret
  /** What happens with the password before. */
  note: string
  onClose: () => void
}

export const LoginSecrets = ({ name, secret, note, onClose }: LoginSecretsProps) => (
  <SecretDialog
    title={`Password of ${name}`}
    values={secretsOf(secret)}
    name={name.replaceAll(/[^\w.-]+/g, '-')}
    after={<Samples secret={secret} />}
    onClose={onClose}
  >
    {note}
  </SecretDialog>
)
