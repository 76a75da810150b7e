/** The filter of an audit log, which also finds by typed words. */
import type { ComponentProps } from 'react'
import { escaped, tokensOf } from '../../api/filter.ts'
import { FilterEditor } from '../../kit/FilterEditor.tsx'
import { Row } from '../../kit/Layout.tsx'
import { t } from './translations.ts'

interface Named {
  id: string
  label: string
  detail: string
}

/** As many as a filter may have: each is two comparisons with ids, of 1,000 characters in all. */
const MAX_HITS = 10

const ofId = (id: string): string => `actor = "${id}" OR resource = "${id}"`

/**
 * Words without an operator: an id, an action, the name of somebody or something, or the
 * beginning of an action.
 */
async function filterOf(
  text: string,
  search: (name: string) => Promise<readonly Named[]>,
): Promise<string> {
  const tokens = tokensOf(text)
  if (tokens.length === 0 || tokens.some(({ kind }) => kind !== 'field')) return text
  if (/^[a-z]+_[0-7][0-9a-z]{25}$/.test(text)) return ofId(text)
  if (/^[a-z_]+\.[a-z_]+$/.test(text)) return `action = "${text}"`
  const found = await search(text)
  const named = found.filter(({ label, detail }) =>
    [label, detail].some((each) => each.toLowerCase() === text.toLowerCase()),
  )
  const meant = (named.length > 0 ? named : found).slice(0, MAX_HITS)
  if (meant.length > 0) return meant.map(({ id }) => ofId(id)).join(' OR ')
  return tokens.length === 1 ? `action = "${escaped(text)}*"` : text
}

type EditorProps = ComponentProps<typeof FilterEditor>

interface LogFilterProps extends Pick<EditorProps, 'value' | 'fields' | 'problem'> {
  /** Finds by a part of a name. */
  search: (name: string) => Promise<readonly Named[]>
  onFilter: (filter: string) => void
}

export const LogFilter = ({ search, onFilter, ...editor }: LogFilterProps) => (
  <Row>
    <FilterEditor
      label={t('Filter of the audit log')}
      placeholder={t('A name, an id, an action, or actor = usr_… AND occurred_at > 2026-01-01')}
      onTyped={() => {}}
      onSubmit={(text) => {
        // If the search fails, so does the list, and says why.
        const meant = filterOf(text.trim(), search).catch(() => text)
        void meant.then(onFilter)
      }}
      {...editor}
    />
  </Row>
)
