/** `mooring billing`: subscriptions and invoices, for the operator. */
import { type Command, InvalidArgumentError } from 'commander'
import { addCommand, CommandFailure, print, say } from './parts/command.ts'

interface TaxOptions {
  taxRate?: number | null
}

function readRate(text: string): number | null {
  if (text === 'default') return null
  if (/^\d{1,5}$/.test(text) && Number(text) <= 10_000) return Number(text)
  throw new InvalidArgumentError('It is default, or basis points from 0 to 10000: 1900 is 19 %.')
}

/** A payment reference, which is recorded in the ledger and unique. */
function readReference(text: string): string {
  if (/^[\w.:/-]{1,100}$/.test(text)) return text
  throw new InvalidArgumentError('It has 1 to 100 letters, digits and . : / _ -')
}

async function subscribe(slug: string, planId: string, { taxRate }: TaxOptions): Promise<void> {
  const { subscribeBySlug } = await import('./parts/bill.ts')
  const { name } = await subscribeBySlug(slug, planId, taxRate)
  say(`The workspace ${slug} has the plan ${planId} (${name}) from this hour on.`)
}

interface CreditOptions {
  reference: string
  currency?: string
  gift?: true
}

async function credit(slug: string, amount: string, options: CreditOptions): Promise<void> {
  const { creditBySlug } = await import('./parts/bill.ts')
  const { reference, currency, gift } = options
  const isGift = gift === true
  const credited = await creditBySlug(slug, amount, { reference, currency, isGift })
  if (credited === undefined) say(`${reference} was credited before; nothing was done.`)
  else say(`The balance of ${slug} has ${credited} more.`)
}

async function markPaid(number: string, { reference }: { reference: string }): Promise<void> {
  const { payByNumber } = await import('./parts/bill.ts')
  await payByNumber(number, reference)
  say(`The invoice ${number} is paid.`)
}

async function annul(number: string): Promise<void> {
  const { voidByNumber } = await import('./parts/bill.ts')
  await voidByNumber(number)
  say(`The invoice ${number} is void.`)
}

async function verify(number: string | undefined): Promise<void> {
  const { verifyInvoices } = await import('./parts/bill.ts')
  const { all, wrong } = await verifyInvoices(number)
  if (wrong.length > 0) {
    throw new CommandFailure(`Not what was issued: ${wrong.join(', ')} (${all} were looked at).`)
  }
  say(`Computed again, ${all} ${all === 1 ? 'invoice is' : 'invoices are'} what was issued.`)
}

const reference = ['--reference <word>', 'what you know the payment by; good once'] as const

async function list({ all }: { all?: true }): Promise<void> {
  const { listInvoices } = await import('./parts/invoice-files.ts')
  await listInvoices(all === true, print)
}

async function save(number: string, file: string): Promise<void> {
  const { saveInvoice } = await import('./parts/invoice-files.ts')
  await saveInvoice(number, file)
  say(`The invoice ${number} is in ${file}.`)
}

function addLooks(billing: Command): void {
  addCommand(billing, 'list', {
    summary: 'List the invoices that are to be paid',
    more:
      'Number, workspace, state and what is open, with tabs between them. Those of deleted ' +
      'workspaces are among them until the erasure.',
    examples: ['billing list', 'billing list --all'],
    failsWhen: 'the database is away',
  })
    .option('--all', 'also those that are paid or void')
    .action(list)
  addCommand(billing, 'save', {
    summary: 'Save an invoice as a file',
    more: 'As JSON if the name of the file ends so, else as PDF. No file is overwritten.',
    examples: ['billing save INV-000042 INV-000042.pdf'],
    failsWhen: 'there is no such invoice, or the file is there already',
  })
    .argument('<number>', 'of the invoice')
    .argument('<file>', 'that is made')
    .action(save)
}

function addPayments(billing: Command): void {
  addCommand(billing, 'credit', {
    summary: 'Add to the prepaid balance of a workspace',
    more: 'For money that came in beside the payment provider. The same reference acts once.',
    examples: ['billing credit acme-sensors 250.00 --reference bank-2026-11-20'],
    failsWhen:
      'there is no such workspace, the amount is none of its currency, or the reference was used for another one',
  })
    .argument('<slug>', 'the workspace')
    .argument('<amount>', 'in its currency, as 250.00')
    .requiredOption(...reference, readReference)
    .option('--currency <code>', 'of a workspace that has none yet, as EUR')
    .option('--gift', 'no money came in')
    .action(credit)
  addCommand(billing, 'mark-paid', {
    summary: 'Mark an invoice as paid',
    examples: ['billing mark-paid INV-000042 --reference bank-2026-11-20'],
    failsWhen: 'there is no such invoice, or it is not open or overdue',
  })
    .argument('<number>', 'of the invoice')
    .requiredOption(...reference, readReference)
    .action(markPaid)
}

export function addBilling(program: Command): void {
  const billing = program.command('billing').summary('Subscriptions and invoices')
  billing.description('Subscriptions and invoices as the operator sees them.')
  addCommand(billing, 'subscribe', {
    summary: 'Have a workspace keep to a plan',
    more:
      'Any plan of MOORING_PLANS_FILE, also a custom one. It holds from the beginning of this ' +
      'hour, and takes the place of a change in the same hour.',
    examples: [
      'billing subscribe acme-sensors acme-2026',
      'billing subscribe acme-sensors acme-2026 --tax-rate 0',
    ],
    failsWhen: 'there is no such workspace or plan, or it pays in another currency',
  })
    .argument('<slug>', 'the workspace')
    .argument('<plan>', 'the id of the plan')
    .option('--tax-rate <basis points>', 'of this workspace alone; default: as all', readRate)
    .action(subscribe)
  addPayments(billing)
  addLooks(billing)
  addCommand(billing, 'void', {
    summary: 'Take an invoice back',
    more: 'What it took from the balance is there again. Its number and its month stay taken.',
    examples: ['billing void INV-000042'],
    failsWhen: 'there is no such invoice, or it is not open or overdue',
  })
    .argument('<number>', 'of the invoice')
    .action(annul)
  addCommand(billing, 'verify', {
    summary: 'Compute invoices again',
    more:
      'From the ledger of usage and the plans as they were chosen, and compares them with what ' +
      'was issued and with the ledger. Without a number all of them.',
    examples: ['billing verify', 'billing verify INV-000042'],
    failsWhen: 'one of them is not what was issued',
  })
    .argument('[number]', 'of the invoice')
    .action(verify)
}
