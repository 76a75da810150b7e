/** The first start: its owner becomes the person who holds the printed link. */
import { Cpu, ShieldCheck, Users } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { LinkButton } from '../../kit/Button.tsx'
import { TextField } from '../../kit/Field.tsx'
import { below } from '../../kit/navigation.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { Pending } from '../../kit/Note.tsx'
import { useConfig } from '../../session/config.ts'
import { acceptSession } from '../../session/session.ts'
import { slugOf } from '../../session/slug-of.ts'
import { Incomplete, LinkPage, toSignIn } from './LinkPage.tsx'
import { NameAndPassword } from './NameAndPassword.tsx'
import { EmailField } from './EmailField.tsx'
import { t } from './translations.ts'

const Next = ({ slug }: { slug: string }) => (
  <CardPage title={t('Your workspace is ready')} isOnce>
    <p>{t('You are signed in. What to do next:')}</p>
    <LinkButton to={below(slug, 'devices/new')} kind="primary" wide icon={<Cpu size={16} />}>
      {t('Connect the first device')}
    </LinkButton>
    <LinkButton to="/account/security" wide icon={<ShieldCheck size={16} />}>
      {t('Set up an authenticator')}
    </LinkButton>
    <LinkButton to={below(slug, 'people')} wide icon={<Users size={16} />}>
      {t('Invite colleagues')}
    </LinkButton>
  </CardPage>
)

function Make({ token, onMade }: { token: string; onMade: (slug: string) => void }) {
  const [email, setEmail] = useState('')
  const [workspace, setWorkspace] = useState('')
  const [slug, setSlug] = useState<string | null>(null)
  const make = useChange('setUp')
  const chosen = slug ?? slugOf(workspace)
  const submit = (person: { name: string; password: string }): void =>
    make.mutate(
      { body: { token, email, ...person, workspace_name: workspace, workspace_slug: chosen } },
      {
        onSuccess: (session) => {
          onMade(chosen)
          acceptSession(session)
        },
      },
    )
  return (
    <NameAndPassword
      act={t('Set up')}
      busy={make.isPending}
      problem={make.error}
      onSubmit={submit}
      first={
        <EmailField
          hint={t('You sign in with it, and it gets what the service has to tell you.')}
          value={email}
          onValue={setEmail}
        />
      }
    >
      <TextField
        label={t('Workspace')}
        hint={t('Holds devices, keys, rules and people: a company, a product or a site.')}
        pointer="/workspace_name"
        autoComplete="organization"
        value={workspace}
        onValue={setWorkspace}
      />
      <TextField
        label={t('Slug')}
        hint={t(
          'Its short name in addresses, and the first level of all its topics. It can be changed until the first device exists.',
        )}
        pointer="/workspace_slug"
        mono
        value={chosen}
        onValue={setSlug}
      />
    </NameAndPassword>
  )
}

export default function SetUp() {
  const config = useConfig()
  const [slug, setSlug] = useState<string | null>(null)
  if (slug !== null) return <Next slug={slug} />
  if (config.data === undefined) {
    return (
      <CardPage title={t('Set up Mooring')} footer={toSignIn}>
        <Pending query={config} of={t('The settings')} />
      </CardPage>
    )
  }
  if (!config.data.setup_open) {
    return (
      <CardPage title={t('Mooring is already set up')}>
        <LinkButton to="/sign-in" kind="primary" wide>
          {t('Sign in')}
        </LinkButton>
      </CardPage>
    )
  }
  const missing = (
    <Incomplete>{t('Open the setup link from the log of the first start.')}</Incomplete>
  )
  return (
    <LinkPage title={t('Set up Mooring')} missing={missing}>
      {(token) => <Make token={token} onMade={setSlug} />}
    </LinkPage>
  )
}
