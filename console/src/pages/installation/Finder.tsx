/** A field that finds some of a long list; what it looks for is in the address. */
import { useState } from 'react'
import { Button } from '../../kit/Button.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Row, Stack } from '../../kit/Layout.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { t } from './words.ts'

/** What is looked for, as members of a query. */
export function useFound(): { search?: string } {
  const [{ search }] = useSearchState<{ search: string }>()
  return search === undefined ? {} : { search }
}

export function Finder({ label, hint }: { label: string; hint: string }) {
  const [{ search = '' }, change] = useSearchState<{ search: string }>()
  const [text, setText] = useState(search)
  return (
    <Stack narrow>
      <Form problem={null} onSubmit={() => change({ search: text.trim() })}>
        <TextField label={label} hint={hint} type="search" value={text} onValue={setText} />
        <Row>
          <Button type="submit">{t('Find')}</Button>
          {search !== '' && (
            <Button
              kind="quiet"
              onClick={() => {
                setText('')
                change({ search: undefined })
              }}
            >
              {t('Show all')}
            </Button>
          )}
        </Row>
      </Form>
    </Stack>
  )
}
