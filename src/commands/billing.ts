/** `mooring billing`: subscriptions and invoices, for the operator. */
import { type Command, InvalidArgumentError } from 'commander'
import { addCommand, CommandFailure, print, say } from './command.ts'

interface TaxOptions {
  taxRate?: number | null
}

function readRate(text: string): number | null {
  if (text === 'default') return null
  if (/^\d{1,5}$/.test(text) && Number(text) <= 10_000) return Number(text)
  throw new InvalidArgumentError(
    'The value is default, or basis points from 0 to 10000: 1900 is 19 %.',
  )
}

/** A payment reference, which is recorded in the ledger and unique. */
function readReference(text: string): string {
  if (/^[\w.:/-]{1,100}$/.test(text)) return text
  throw new InvalidArgumentError('The value has 1 to 100 letters, digits and . : / _ -')
}

async function subscribe(slug: string, planId: string, { taxRate }: TaxOptions): Promise<void> {
  const { subscribeBySlug } = await import('./billing/bill.ts')
  const { name } = await subscribeBySlug(slug, planId, taxRate)
  say(`The workspace ${slug} has the plan ${planId} (${name}) from the current hour.`)
}

async function credit(
  slug: string,
  amount: string,
  options: { reference: string; currency?: string; gift?: true },
): Promise<void> {
  const { creditBySlug } = await import('./billing/bill.ts')
  const { reference, currency, gift } = options
  const isGift = gift === true
  const credited = await creditBySlug(slug, amount, { reference, currency, isGift })
  if (credited === undefined) say(`${reference} was credited before; nothing changed.`)
  else say(`The balance of ${slug} has ${credited} more.`)
}

async function markPaid(number: string, { reference }: { reference: string }): Promise<void> {
  const { payByNumber } = await import('./billing/bill.ts')
  await payByNumber(number, reference)
  say(`The invoice ${number} is paid.`)
}

async function annul(number: string): Promise<void> {
  const { voidByNumber } = await import('./billing/bill.ts')
  await voidByNumber(number)
  say(`The invoice ${number} is void.`)
}

async function verify(number: string | undefined): Promise<void> {
  const { verifyInvoices } = await import('./billing/bill.ts')
  const { all, wrong } = await verifyInvoices(number)
  if (wrong.length > 0) {
    throw new CommandFailure(
      `Differs from the issued invoice: ${wrong.join(', ')} (${all} were checked).`,
    )
  }
  say(
    `Recomputed ${all} ${all === 1 ? 'invoice: it matches' : 'invoices: they match'} the issued invoices.`,
  )
}

const reference = [
  '--reference <word>',
  'your reference of the payment; it can be used only once',
] as const

async function list({ all }: { all?: true }): Promise<void> {
  const { listInvoices } = await import('./billing/invoice-files.ts')
  await listInvoices(all === true, print)
}

async function save(number: string, file: string): Promise<void> {
  const { saveInvoice } = await import('./billing/invoice-files.ts')
  await saveInvoice(number, file)
  say(`The invoice ${number} is in ${file}.`)
}

function addReports(billing: Command): void {
  addCommand(billing, 'list', {
    summary: 'List unpaid invoices',
    more:
      'Number, workspace, state and unpaid amount, separated by tabs. Invoices of deleted ' +
      'workspaces are included until the erasure.',
    examples: ['billing list', 'billing list --all'],
    failsWhen: 'the database is not available',
  })
    .option('--all', 'include paid and void invoices')
    .action(list)
  addCommand(billing, 'save', {
    summary: 'Save an invoice as a file',
    more:
      'Writes JSON if the file name ends with .json, otherwise PDF. Existing files are not ' +
      'overwritten.',
    examples: ['billing save INV-000042 INV-000042.pdf'],
    failsWhen: 'there is no such invoice, or the file exists',
  })
    .argument('<number>', 'the number of the invoice')
    .argument('<file>', 'the file to create')
    .action(save)
}

function addPayments(billing: Command): void {
  addCommand(billing, 'credit', {
    summary: 'Add to the prepaid balance of a workspace',
    more: 'For payments received outside the payment provider. A reference takes effect once.',
    examples: ['billing credit acme-sensors 250.00 --reference bank-2026-11-20'],
    failsWhen:
      'there is no such workspace, the amount is not valid in its currency, or the reference was used for another payment',
  })
    .argument('<slug>', 'the workspace')
    .argument('<amount>', 'in its currency, such as 250.00')
    .requiredOption(...reference, readReference)
    .option('--currency <code>', 'the currency, if the workspace has none yet, such as EUR')
    .option('--gift', 'no payment was received')
    .action(credit)
  addCommand(billing, 'mark-paid', {
    summary: 'Mark an invoice as paid',
    examples: ['billing mark-paid INV-000042 --reference bank-2026-11-20'],
    failsWhen: 'there is no such invoice, or it is not open or overdue',
  })
    .argument('<number>', 'the number of the invoice')
    .requiredOption(...reference, readReference)
    .action(markPaid)
}

export function addBilling(program: Command): void {
  const billing = program.command('billing').summary('Subscriptions and invoices')
  billing.description('Subscriptions and invoices, for the operator.')
  addCommand(billing, 'subscribe', {
    summary: 'Assign a plan to a workspace',
    more:
      'Accepts any plan of MOORING_PLANS_FILE, including custom plans. It applies from the ' +
      'start of the current hour, and replaces a change in the same hour.',
    examples: [
      'billing subscribe acme-sensors acme-2026',
      'billing subscribe acme-sensors acme-2026 --tax-rate 0',
    ],
    failsWhen: 'there is no such workspace or plan, or their currencies differ',
  })
    .argument('<slug>', 'the workspace')
    .argument('<plan>', 'the id of the plan')
    .option(
      '--tax-rate <basis points>',
      'for this workspace only; default: the rate of the installation',
      readRate,
    )
    .action(subscribe)
  addPayments(billing)
  addReports(billing)
  addCommand(billing, 'void', {
    summary: 'Void an invoice',
    more:
      'Returns the amount that the invoice took from the balance. Its number and its month ' +
      'are not reused.',
    examples: ['billing void INV-000042'],
    failsWhen: 'there is no such invoice, or it is not open or overdue',
  })
    .argument('<number>', 'the number of the invoice')
    .action(annul)
  addCommand(billing, 'verify', {
    summary: 'Recompute invoices',
    more:
      'Recomputes invoices from the usage ledger and the plans as chosen, and compares them ' +
      'with the issued invoices and the ledger. Without a number it checks all invoices.',
    examples: ['billing verify', 'billing verify INV-000042'],
    failsWhen: 'an invoice differs',
  })
    .argument('[number]', 'the number of the invoice')
    .action(verify)
}
