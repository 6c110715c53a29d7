import type { RateCardItem } from '../../../contracts/generated.js';

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
  /** The loaded miles that the driver reported. */
  miles: number | null;
  /** The loaded miles that the truck's positions or its odometer show. */
  driven_miles: number | null;
  /** Null if it is unknown which of both show them. */
  driven_source: 'positions' | 'odometer' | null;
  /** The share of the loaded time for which there are positions. Null if nothing was measured. */
  driven_coverage: number | null;
  /** When that was measured. Names the completion, because a work order may be reopened. */
  driven_measured_at: string | null;
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

/** The stay of a vehicle that the invoice's work order brought into the yard. */
export interface ImpoundStay {
  /** True if the vehicle has left, and storage was not waived. */
  is_due: boolean;
  charged_days: number;
  /** Days of storage on all invoices of the work order that are not void or cancelled. */
  invoiced_days: number;
  daily_rate_cents: number;
  /** True if one of these invoices charges storage in another unit than days. */
  is_billed_otherwise: boolean;
  /** True if no later invoice of the work order could charge the storage. */
  is_newest_invoice: boolean;
}

/** What the invoice's customer pays for the work order. A member that is null is not limited. */
export interface CoverageTerms {
  /** With the free miles of the rate card. */
  loaded_miles: number | null;
  /** Before tax, over all invoices of the work order for the customer. */
  amount_cents: number | null;
  service_types: string[] | null;
  /** What earlier invoices of the work order bill the same customer. */
  earlier_miles: number;
  earlier_cents: number;
}

export interface DetectionSubject {
  job: BilledWorkOrder;
  /** Undefined if the customer pays everything, or the invoice has been released. */
  coverage: CoverageTerms | undefined;
  /** The items of the rate card that is in force for the work order; null without one. */
  cardItems: readonly RateCardItem[] | null;
  /** Undefined if no vehicle of the work order was impounded. */
  impound: ImpoundStay | undefined;
  /** Billed work orders of the same service in the last 180 days, newest first. */
  history: readonly BilledWorkOrder[];
  possibleDuplicates: readonly PossibleDuplicate[];
}

/**
 * Positions for less of the time could have missed a part of the way. A tow takes half an hour, so
 * a tenth is three minutes.
 */
const MIN_COVERAGE = 0.9;

/** Returns the loaded miles of the truck, if its positions are enough to trust them. */
export function readDrivenMiles({
  driven_miles: miles,
  driven_coverage: coverage,
}: BilledWorkOrder): number | null {
  return (coverage ?? 0) >= MIN_COVERAGE ? miles : null;
}

export function findLineItems(job: BilledWorkOrder, category: string): BilledLineItem[] {
  return job.lines.filter((line) => line.category === category);
}

export function sumTotals(lines: readonly BilledLineItem[]): number {
  return lines.reduce((sum, line) => sum + line.total_cents, 0);
}
