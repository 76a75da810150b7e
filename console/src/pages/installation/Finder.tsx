/** A field that finds some of a long list; its text is in the address. */
import { type ComponentProps, useState } from 'react'
import { Button } from '../../kit/Button.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Row, Stack } from '../../kit/Layout.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { t } from './translations.ts'

/** The search, as members of a query. */
export function useFound(): { search?: string } {
  const [{ search }] = useSearchState<{ search: string }>()
  return search === undefined ? {} : { search }
}

export function ShowAll({ kind }: Pick<ComponentProps<typeof Button>, 'kind'>) {
  const [, change] = useSearchState<{ search: string }>()
  return (
    <Button {...(kind && { kind })} onClick={() => change({ search: undefined })}>
      {t('Show all')}
    </Button>
  )
}

export function Finder({ label, hint }: { label: string; hint: string }) {
  const [{ search = '' }, change] = useSearchState<{ search: string }>()
  const [text, setText] = useState(search)
  const [shown, setShown] = useState(search)
  // Also what a link or another button looks for.
  if (shown !== search) {
    setShown(search)
    setText(search)
  }
  return (
    <Stack narrow>
      <Form problem={null} onSubmit={() => change({ search: text.trim() })}>
        <TextField label={label} hint={hint} type="search" value={text} onValue={setText} />
        <Row>
          <Button type="submit">{t('Find')}</Button>
          {search !== '' && <ShowAll kind="quiet" />}
        </Row>
      </Form>
    </Stack>
  )
}
