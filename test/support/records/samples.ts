let serial = 0;

interface LineItemInput extends Record<string, unknown> {
  quantity: number;
  unit_price_cents: number;
}

/**
 * Builds a line item that the API accepts. Its total is quantity × price unless `overrides` sets
 * another total.
 */
export function lineItem(overrides: Partial<LineItemInput> = {}): LineItemInput {
  const item = {
    name: 'Tow',
    category: 'tow',
    quantity: 1,
    unit_type: 'each',
    unit_price_cents: 10_000,
    ...overrides,
  };
  return { total_cents: Math.round(item.quantity * item.unit_price_cents), ...item };
}

/** Builds a body for POST /invoices with a new invoice number. */
export function invoiceInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  serial += 1;
  return { invoice_number: `INV-${serial}`, line_items: [lineItem()], ...overrides };
}

/** Builds a body for POST /recurring-invoices. Its first invoice is not due before 2099. */
export function recurringInvoiceInput(
  customer_id: string | undefined,
  overrides: Record<string, unknown> = {},
): Record<string, unknown> {
  return { customer_id, every: 'month', anchor_date: '2099-01-31', line_items: [lineItem()], ...overrides };
}

/** Builds a body for POST /rate-cards. */
export const cardInput = () => ({
  name: 'Card',
  effective_from: '2026-01-01',
  is_default: true,
  items: [{ category: 'hook_up', unit_type: 'flat', unit_price_cents: 7500 }],
});

/** Builds a body for POST /remittances with a new reference and a line that matches nothing. */
export function remittanceInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  serial += 1;
  const lines = [{ po_number: 'PO-NONE', amount_cents: 6_000 }];
  return {
    payer: 'Club',
    reference: `EFT ${serial}`,
    paid_on: '2026-11-20',
    total_cents: 6_000,
    lines,
    ...overrides,
  };
}

/** Builds a body for POST /webhook-endpoints. */
export function endpointInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { url: 'https://receiver.example.com/hooks', event_types: ['*'], ...overrides };
}

/** Builds a body for POST /export-schedules. */
export function scheduleInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { resource: 'invoices', format: 'csv', cadence: 'daily', ...overrides };
}

/** A UUID that belongs to no record. */
export const UNKNOWN_ID = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';

/**
 * Removes the links and what follows from the truck's position from a work order. Only responses
 * with one work order have them, and the links are only for callers that may dispatch.
 */
export function withoutLinks<Record extends object>(workOrder: Record): Record {
  const left = ['driver_url', 'tracking_url', 'estimated_arrival_at', 'proposed_step'];
  return Object.fromEntries(Object.entries(workOrder).filter(([name]) => !left.includes(name))) as Record;
}
