/** The parts of one thing, of which the address names the open one. */
import { Tabs } from './Table.tsx'

interface SectionTabsProps {
  label: string
  /** By the name in the address; the first one has none there. */
  sections: Readonly<Record<string, readonly [label: string, ...unknown[]]>>
  open: string
  /** The page of the thing. */
  to: string
  /** The other parts of the address that stay. */
  kept?: Readonly<Record<string, string>>
}

export function SectionTabs({ label, sections, open, to, kept = {} }: SectionTabsProps) {
  const tabs = Object.entries(sections).map(([name, [text]], at) => ({
    label: text,
    isOpen: name === open,
    link: { to, search: { ...(at > 0 && { tab: name }), ...kept } as never },
  }))
  return <Tabs label={label} tabs={tabs} />
}
