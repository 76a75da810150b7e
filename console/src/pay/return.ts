/**
 * The way back to the page of the console from which somebody came to pay. It is of this origin:
 * members of the handover are part of a path, or escaped.
 */
import { dropHandover, type Handover, type Purpose } from '../session/handover.ts'

const pages: Readonly<Record<Purpose, (handover: Handover) => string>> = {
  method: () => '?tab=payments',
  invoice: ({ invoiceId = '' }) => `/invoices/${invoiceId}`,
  'top-up': () => '?tab=balance',
}

export const billingOf = ({ workspace }: Handover): string =>
  `/console/w/${encodeURIComponent(workspace.slug)}/billing`

export const pageOf = (purpose: Purpose, handover: Handover): string =>
  `${billingOf(handover)}${pages[purpose](handover)}`

/** @param receipt what was made, as `payment` or `card`, for the page to show */
export function goBack(
  purpose: Purpose,
  handover: Handover,
  receipt: Readonly<Record<string, string>>,
): void {
  const page = pageOf(purpose, handover)
  const query = new URLSearchParams(receipt).toString()
  dropHandover()
  const mark = page.includes('?') ? '&' : '?'
  // The page of the payment has ended: nobody comes back to it.
  window.location.replace(query === '' ? page : `${page}${mark}${query}`)
}
