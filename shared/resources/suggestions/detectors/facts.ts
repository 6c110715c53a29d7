export interface BilledLineItem {
  name: string;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  total_cents: number;
  taxable: boolean;
}

/** The kind of off-hours in which a dispatch took place, by local time. */
export type OffHours = 'evening' | 'night' | 'weekend';

export interface BilledWorkOrder {
  invoice_id: string;
  invoice_number: string;
  /** Null if the invoice has no work order. */
  work_order_id: string | null;
  service_type: string | null;
  company_type: string | null;
  /**
   * The subtotal before tax. Detectors compare the subtotal, not the total, because the tow company
   * does not set the tax.
   */
  subtotal_cents: number;
  miles: number | null;
  /** The time from dispatch to completion. */
  minutes: number | null;
  off_hours: OffHours | null;
  mentions_winch: boolean;
  /** Whole days from the end of the tow to the creation of the invoice. */
  held_days: number | null;
  lines: BilledLineItem[];
  /** The categories that other invoices of the same work order charge. */
  billed_elsewhere: string[];
}

/**
 * An earlier invoice with the same total, for the same work order or for the same customer and
 * vehicle.
 */
export interface PossibleDuplicate {
  invoice_id: string;
  invoice_number: string;
  total_cents: number;
  days_apart: number;
  shares: 'job' | 'vehicle';
}

export interface DetectionSubject {
  job: BilledWorkOrder;
  /** Billed work orders of the same service in the last 180 days, newest first. */
  history: readonly BilledWorkOrder[];
  possibleDuplicates: readonly PossibleDuplicate[];
}

export function findLineItems(job: BilledWorkOrder, category: string): BilledLineItem[] {
  return job.lines.filter((line) => line.category === category);
}

export function sumTotals(lines: readonly BilledLineItem[]): number {
  return lines.reduce((sum, line) => sum + line.total_cents, 0);
}
