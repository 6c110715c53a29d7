/** Returns the address of a record's page for people. */
export function buildWebAddress(kind: 'contact' | 'invoice', id: string): string {
  const part = encodeURIComponent(id);
  if (kind === 'contact') return `https://go.xero.com/Contacts/View/${part}`;
  return `https://go.xero.com/AccountsReceivable/View.aspx?InvoiceID=${part}`;
}
