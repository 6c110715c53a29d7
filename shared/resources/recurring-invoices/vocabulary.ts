export const INVOICE_RHYTHMS = ['week', 'month', 'quarter'] as const;

export const RECURRING_INVOICE_STATUSES = ['active', 'paused', 'ended'] as const;

/** What the clock does with an invoice that it has created. */
export const INVOICE_RELEASES = ['draft', 'send'] as const;

/** Maximum number of recurring invoices per account that have not ended. */
export const MAX_RECURRING_INVOICES = 500;
