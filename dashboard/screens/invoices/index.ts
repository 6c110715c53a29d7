export { InvoiceRecord as Record } from './invoice-record';
export { InvoicesScreen as Screen } from './invoices-screen';
