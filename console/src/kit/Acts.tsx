/**
 * The actions on a resource: buttons, and a menu of those that are rarer or have no room on a
 * phone.
 */
import { MoreHorizontal } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Button, IconButton } from './Button.tsx'
import { Menu, type MenuItem } from './Overlay.tsx'
import { t } from '../i18n/frame.ts'

export interface Act extends MenuItem {
  /** Whether it has a button of its own: on any window, or on a wide one. */
  button?: 'always' | 'wide'
  /** The most likely purpose of the page. */
  isMain?: boolean
}

const narrow = '(max-width: 760px)'

function onResize(notice: () => void): () => void {
  const query = matchMedia(narrow)
  query.addEventListener('change', notice)
  return () => query.removeEventListener('change', notice)
}

const isNarrow = (): boolean => matchMedia(narrow).matches

const kindOf = ({ danger, isMain }: Act) =>
  danger === true ? 'danger' : isMain === true ? 'primary' : 'plain'

/** Columns that have a button in this window. */
function useShown(acts: readonly Act[]): readonly Act[] {
  const hasRoom = !useSyncExternalStore(onResize, isNarrow)
  return acts.filter(({ button }) => button === 'always' || (button === 'wide' && hasRoom))
}

interface ActsProps {
  acts: readonly Act[]
}

export function Acts({ acts }: ActsProps) {
  const shown = useShown(acts)
  const others = acts.filter((act) => !shown.includes(act))
  return (
    <>
      {shown.map((act) => (
        <Button key={act.label} kind={kindOf(act)} blocked={act.blocked} onClick={act.onSelect}>
          {act.label}
        </Button>
      ))}
      {others.length > 0 && (
        <Menu
          trigger={
            <IconButton kind="plain" label={t('More')} icon={<MoreHorizontal size={16} />} />
          }
          items={others}
        />
      )}
    </>
  )
}

/** The one act that ends a thing: on a phone it is not the first that is below the title. */
export const LoneDanger = (act: Pick<Act, 'label' | 'blocked' | 'onSelect'>) => (
  <Acts acts={[{ ...act, danger: true, button: 'wide' }]} />
)
