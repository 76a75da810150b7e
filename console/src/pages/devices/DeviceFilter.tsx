/** A filter of devices as a field of a form, with what occurs in this workspace. */
import { type ComponentProps, useState } from 'react'
import type { TypedValue } from '../../api/filter.ts'
import { FilterField } from '../../kit/FilterField.tsx'
import { useFilterFields } from './filter-fields.ts'

type DeviceFilterProps = Omit<ComponentProps<typeof FilterField>, 'fields' | 'onTyped'>

export function DeviceFilter(props: DeviceFilterProps) {
  const [typed, setTyped] = useState<TypedValue | 'other' | null>(null)
  return <FilterField {...props} fields={useFilterFields(typed)} onTyped={setTyped} />
}
