/** Implements `mooring billing list` and `save`. */
import { writeFile } from 'node:fs/promises'
import { readFont } from '../../app/billing.ts'
import { readConfig } from '../../platform/config/config.ts'
import { documentOf } from '../../features/billing/invoices/invoice-pdf.ts'
import { pageOfIssued, readIssued } from '../../features/billing/invoices/invoice.ts'
import { makeTableDocument } from '../../adapters/pdf/table-document.ts'
import { formatMoney } from '../../platform/lib/currency.ts'
import { codeOf, describeSystemError } from '../../platform/lib/system-errors.ts'
import { requireIssued } from './bill.ts'
import { CommandFailure } from '../command.ts'
import { withInstallation } from '../installation/session.ts'

type Listed = Awaited<ReturnType<typeof pageOfIssued>>[number]

function lineOf({ number, workspace, is_deleted, status, due_at, currency, amount }: Listed) {
  const name = is_deleted ? `${workspace} (deleted)` : workspace
  const due = `${status}, due ${due_at.slice(0, 10)}`
  return [number, name, due, formatMoney(amount, currency)].join('\t')
}

/**
 * Issued invoices by number, one per line.
 * @param isAll including paid and void ones
 */
export const listInvoices = (isAll: boolean, print: (line: string) => void): Promise<void> =>
  withInstallation({}, async ({ db }) => {
    let after = 0
    let page = await pageOfIssued(db, { after, isAll })
    while (page.length > 0) {
      for (const invoice of page) print(lineOf(invoice))
      after = page.at(-1)?.counted ?? after
      page = await pageOfIssued(db, { after, isAll })
    }
  })

function unwritten(file: string, error: unknown): CommandFailure {
  const message = `${file} cannot be written: ${describeSystemError(error)}.`
  if (codeOf(error) !== 'EEXIST') return new CommandFailure(message)
  return new CommandFailure(
    `${file} exists and is not overwritten: name another file, or remove it first.`,
  )
}

/** Writes an invoice as PDF, or as JSON if the file name says so. Never overwrites a file. */
export const saveInvoice = (text: string, file: string): Promise<void> =>
  withInstallation({}, async ({ db }) => {
    const { workspaceId, invoiceId } = await requireIssued(db, text)
    const view = await readIssued(db, workspaceId, invoiceId)
    const bytes = file.endsWith('.json')
      ? `${JSON.stringify(view, undefined, 2)}\n`
      : await makeTableDocument(documentOf(view), readFont(readConfig()))
    await writeFile(file, bytes, { flag: 'wx' }).catch((error: unknown) => {
      throw unwritten(file, error)
    })
  })
