import type { Schemas } from '../../api/records';

export const INVOICE_STATUSES = [
  'draft',
  'needs_review',
  'approved',
  'sending',
  'sent_to_roadsync',
  'viewed',
  'partially_paid',
  'paid',
  'overdue',
  'disputed',
  'failed',
  'void',
  'cancelled',
] as const satisfies readonly Schemas['InvoiceStatus'][];

export const PAYMENT_METHODS = [
  'cash',
  'check',
  'card',
  'ach',
  'motor_club',
  'other',
] as const satisfies readonly Schemas['PaymentMethod'][];

/** The published categories of a line item. The API accepts others, so lines may hold more. */
export const LINE_ITEM_CATEGORIES = [
  'tow',
  'hook_up',
  'mileage',
  'winching',
  'recovery',
  'labor',
  'wait_time',
  'roadside',
  'storage',
  'impound',
  'gate_fee',
  'after_hours',
  'equipment',
  'cleanup',
  'fuel',
  'fuel_surcharge',
  'admin',
  'notification',
  'lien',
  'goa',
  'discount',
  'adjustment',
  'other',
] as const;

/** The published units of a line item. The API accepts others, so lines may hold more. */
export const UNIT_TYPES = ['each', 'flat', 'mile', 'hour', 'quarter_hour', 'day', 'gallon'] as const;
