/**
 * Whether the person is an operator of the installation, and whether the console has a view of it.
 */
import { useRead } from '../api/hooks.ts'
import { useConfig } from './config.ts'

export function useOperator() {
  const query = useRead('getMe')
  const { data: config } = useConfig()
  const isOff = config?.installation === false
  return { query, isOff, isOperator: !isOff && query.data?.installation_role === 'operator' }
}
