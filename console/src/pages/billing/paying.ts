/** Leads to the document in which a person pays: it alone loads the script of Stripe. */
import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { useConfig } from '../../session/config.ts'
import { giveHandover, type Purpose } from '../../session/handover.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

/** Whether cards can be entered here; undefined until that is known. */
export function useTakesCards(): boolean | undefined {
  const { data } = useConfig()
  return data && data.stripe_key !== null
}

/**
 * `instructions`: how to pay where no card is charged; null where cards are, or where the person
 * may not know it; undefined until `query` has said so.
 */
export function useInstructions() {
  const { id } = useWorkspace()
  const query = useRead('listPaymentMethods', { params: { id } }, { isLive: true })
  const isDenied = query.error?.status === 403
  return { instructions: isDenied ? null : query.data?.instructions, query }
}

export function usePaying(purpose: Purpose, invoiceId?: string) {
  const { id, slug, name } = useWorkspace()
  const takesCards = useTakesCards()
  const denied = useBlocked('createPaymentToken')
  const leave = useMutation<void, Problem>({
    async mutationFn() {
      const made = await call('createPaymentToken', { params: { id } })
      giveHandover({
        token: made.token,
        expiresAt: Date.now() + made.expires_in * 1_000,
        workspace: { id, slug, name },
        ...(invoiceId !== undefined && { invoiceId }),
      })
      window.location.assign(`/console/pay/${purpose}`)
    },
  })
  const missing =
    takesCards === false
      ? t('Cards cannot be entered here: Stripe is not completely set up.')
      : undefined
  return {
    blocked: denied ?? missing,
    busy: leave.isPending || leave.isSuccess,
    problem: leave.error,
    go: () => leave.mutate(),
  }
}
