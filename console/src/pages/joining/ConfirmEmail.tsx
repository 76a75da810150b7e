/** Confirms a new address by the link that was sent there. */
import { useChange } from '../../api/hooks.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Form } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { LinkPage, Renewable } from './LinkPage.tsx'
import { t } from './translations.ts'

function Confirm({ token }: { token: string }) {
  const confirm = useChange('confirmEmailChange', ['getMe'])
  if (confirm.data !== undefined) {
    return (
      <>
        <Note tone="ok" title={t('Your address is {email}.', { email: confirm.data.email })}>
          {t('You sign in with it from now on. Both addresses get a mail that says so.')}
        </Note>
        <LinkButton to="/account" kind="primary" wide>
          {t('Your account')}
        </LinkButton>
      </>
    )
  }
  // Only by a button: programs that look at mail for dangers may open its links.
  return (
    <Form onSubmit={() => confirm.mutate({ body: { token } })} problem={confirm.error}>
      <p>{t('The address to which the link was sent becomes the one that you sign in with.')}</p>
      <Button type="submit" kind="primary" wide busy={confirm.isPending}>
        {t('Use the new address')}
      </Button>
    </Form>
  )
}

export default function ConfirmEmail() {
  return (
    <LinkPage title={t('Confirm your new address')} missing={<Renewable to="/account" />}>
      {(token) => <Confirm token={token} />}
    </LinkPage>
  )
}
