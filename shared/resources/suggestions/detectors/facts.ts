/** What the charges of one category come to on an invoice. */
export interface BilledLine {
  name: string;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  total_cents: number;
  taxable: boolean;
}

/** Outside of business hours, by the local time of dispatch. */
export type OffHours = 'evening' | 'night' | 'weekend';

/** A job and its invoice, as detectors see them: what was done, and what was billed for it. */
export interface BilledJob {
  invoice_id: string;
  invoice_number: string;
  /** null: an invoice without a job. */
  work_order_id: string | null;
  service_type: string | null;
  company_type: string | null;
  /** Before tax: what is charged, not what the state takes. */
  subtotal_cents: number;
  miles: number | null;
  /** From dispatch to completion. */
  minutes: number | null;
  off_hours: OffHours | null;
  mentions_winch: boolean;
  /** Whole days from the end of the tow to the invoice. */
  held_days: number | null;
  lines: BilledLine[];
  /** Categories that other invoices of the same job charge. */
  billed_elsewhere: string[];
}

/** An earlier invoice of the same customer over the same amount. */
export interface Twin {
  invoice_id: string;
  invoice_number: string;
  total_cents: number;
  days_apart: number;
  shares: 'job' | 'vehicle';
}

/** What is looked at, beside what it is compared with. */
export interface Subject {
  job: BilledJob;
  /** Billed jobs of the same service in the last 180 days, newest first. */
  history: readonly BilledJob[];
  twins: readonly Twin[];
}

export function linesOf(job: BilledJob, category: string): BilledLine[] {
  return job.lines.filter((line) => line.category === category);
}

export function totalOf(lines: readonly BilledLine[]): number {
  return lines.reduce((sum, line) => sum + line.total_cents, 0);
}
