export const INVOICE_RHYTHMS = ['week', 'month', 'quarter'] as const;

export const RECURRING_INVOICE_STATUSES = ['active', 'paused', 'ended'] as const;

/**
 * An invoice that the clock creates from a recurring invoice stays a draft, or the clock sends it.
 */
export const INVOICE_RELEASES = ['draft', 'send'] as const;

/** Maximum number of recurring invoices per account that have not ended. */
export const MAX_RECURRING_INVOICES = 500;
