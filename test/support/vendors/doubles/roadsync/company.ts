import { randomBytes } from 'node:crypto';
import { toMicros } from './time.js';

export interface LineItem {
  productId?: string;
  description?: string;
  /** Dollars. */
  amount: number;
  isTaxable?: boolean;
  displayOrder?: number;
}

/** The members of an invoice that its sender decides. */
export interface InvoiceContent {
  locationId: string;
  name: string;
  lineItems: LineItem[];
  email?: string;
  phone?: string;
  description?: string;
  comments?: string;
  customFields?: Record<string, unknown>;
  shiftId?: string;
}

/** An invoice at RoadSync, and what the double knows about it beyond RoadSync's answers. */
export interface RoadSyncInvoice {
  readonly id: string;
  readonly invoiceNumber: number;
  readonly token: string;
  readonly content: InvoiceContent;
  /** Any of the statuses that a filter knows. A test may set another one. */
  status: string;
  failedReason?: string | undefined;
  depositStatus?: string;
  /** If present, the payer paid this instead of the sum of the lines. */
  paidCents?: number;
  /** True for a card payment. RoadSync refunds no other. */
  isPaidByCard: boolean;
  /** Microseconds since 1970, as the other times. */
  readonly createdAt: number;
  updatedAt: number;
  authorizedAt?: number;
  /** True if the list does not show the invoice yet. */
  isUnlisted: boolean;
  /** Present for a void invoice. */
  deletedAt?: number;
  readonly clonedFrom: string | undefined;
  /** The messages with the link that went to the payer. */
  readonly sends: { email?: string | undefined; phone?: string | undefined }[];
  readonly refundsCents: number[];
  readonly attachments: { name: string; type: string; bytes: Buffer }[];
  voidReason?: string | undefined;
  /**
   * Members that replace those of the invoice in answers, so that a test can return a bad record.
   * A member that is undefined is absent in the answer.
   */
  garbled?: Record<string, unknown>;
}

export interface RoadSyncLocation {
  readonly id: string;
  readonly name: string;
  /** If not empty, each invoice names one of them. */
  readonly shiftIds: string[];
  readonly products: { id: string; name: string }[];
  /** The fields that a person has configured. Undefined accepts every name. */
  customFields?: { name: string; isRequired: boolean }[];
}

const createId = () => randomBytes(24).toString('base64url').replace(/[-_]/g, 'x').slice(0, 30);

/** A company at RoadSync: its locations and invoices, and what its payers do. */
export class RoadSyncCompany {
  readonly locations: RoadSyncLocation[] = [];
  readonly invoices: RoadSyncInvoice[] = [];
  /** Values that the list of invoices returns before the invoices, such as null. */
  readonly strays: unknown[] = [];
  /** The tax that RoadSync adds to taxable lines. */
  taxPercent = 0;
  /** True if the list does not show new invoices until a test says so. */
  isListLate = false;
  private nextNumber = 322_943;

  constructor(
    readonly apiKey: string,
    readonly id = createId(),
    locationId = createId(),
  ) {
    this.addLocation('Hudson Towing', locationId);
  }

  /** The location that a new company has. */
  get location(): RoadSyncLocation {
    return this.locations[0] as RoadSyncLocation;
  }

  addLocation(name: string, id = createId()): RoadSyncLocation {
    const location: RoadSyncLocation = { id, name, shiftIds: [], products: [] };
    location.products.push({ id: createId(), name: 'Tow' });
    this.locations.push(location);
    return location;
  }

  addInvoice(content: InvoiceContent, clonedFrom?: string): RoadSyncInvoice {
    const createdAt = toMicros(new Date());
    const invoice: RoadSyncInvoice = {
      id: createId(),
      invoiceNumber: this.nextNumber++,
      token: randomBytes(6).toString('hex'),
      content: structuredClone(content),
      status: 'new',
      isPaidByCard: false,
      isUnlisted: this.isListLate,
      createdAt,
      updatedAt: createdAt,
      clonedFrom,
      sends: [],
      refundsCents: [],
      attachments: [],
    };
    this.invoices.push(invoice);
    return invoice;
  }

  /** @throws {Error} if the company has no such invoice */
  find(id: string): RoadSyncInvoice {
    const found = this.invoices.find((invoice) => invoice.id === id);
    if (!found) throw new Error(`no invoice ${id}`);
    return found;
  }

  /** The sum of the lines with RoadSync's tax, or the amount that the payer paid instead. */
  totalCents({ content, paidCents }: RoadSyncInvoice): number {
    if (paidCents !== undefined) return paidCents;
    return content.lineItems.reduce((sum, { amount, isTaxable }) => {
      const cents = Math.round(amount * 100);
      return sum + cents + (isTaxable ? Math.round((cents * this.taxPercent) / 100) : 0);
    }, 0);
  }

  /** The motor club accepts the invoice, and has not paid it yet. */
  accept(invoice: RoadSyncInvoice): void {
    this.setStatus(invoice, 'accepted');
  }

  /** The motor club refuses the invoice. `status` may also be `failed` or `validatedandfailed`. */
  deny(invoice: RoadSyncInvoice, reason = 'Coverage exceeded', status = 'rejected'): void {
    this.setStatus(invoice, status, reason);
  }

  /** The payer never paid, and the link is no longer valid. */
  expire(invoice: RoadSyncInvoice): void {
    this.setStatus(invoice, 'failed', 'The payment link has expired');
  }

  /** The payment is under way. RoadSync sets `authorizedAt` now, not when it completes. */
  authorize(invoice: RoadSyncInvoice, at = new Date()): void {
    invoice.authorizedAt = toMicros(at);
    this.setStatus(invoice, 'processing');
  }

  /**
   * The payer pays by card: everything, or `cents` of it, which is a short pay. `at` is the time of
   * the payment, because RoadSync may show an earlier payment after a later one.
   */
  pay(invoice: RoadSyncInvoice, cents?: number, at = new Date()): void {
    invoice.authorizedAt ??= toMicros(at);
    invoice.depositStatus = 'Processing';
    invoice.isPaidByCard = true;
    if (cents !== undefined) invoice.paidCents = cents;
    this.setStatus(invoice, 'completed');
  }

  /** A person at RoadSync notes a payment that arrived in another way, such as by check. */
  markAsPaid(invoice: RoadSyncInvoice, at = new Date()): void {
    invoice.authorizedAt ??= toMicros(at);
    this.setStatus(invoice, 'markedaspaid');
  }

  voidInvoice(invoice: RoadSyncInvoice, reason?: string): void {
    invoice.deletedAt = toMicros(new Date());
    invoice.voidReason = reason;
    invoice.updatedAt = invoice.deletedAt;
  }

  /** Sets any status, also one that RoadSync's documents do not name. */
  setStatus(invoice: RoadSyncInvoice, status: string, failedReason?: string): void {
    invoice.status = status;
    invoice.failedReason = failedReason;
    invoice.updatedAt = toMicros(new Date());
  }
}
