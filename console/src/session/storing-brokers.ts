/** Brokers of the workspace that keep passwords, and so do not say which one is used. */
import { useRead } from '../api/hooks.ts'
import { useWorkspace } from './workspace.tsx'

/** Their names, empty if there are none; undefined while that is read, or if it may not be. */
export function useStoringBrokers(): string | undefined {
  const { id } = useWorkspace()
  const { data } = useRead('listEndpoints', { params: { id } })
  return data?.items
    .filter(({ keeps_passwords }) => keeps_passwords)
    .map(({ broker }) => broker)
    .join(', ')
}
