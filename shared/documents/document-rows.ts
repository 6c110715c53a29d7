import type { LogoType } from './logo-image.js';

export interface InvoiceJson {
  invoice_number: string;
  status: string;
  po_number: string | null;
  vehicle_description: string | null;
  billing_email: string | null;
  service_date: string | null;
  effective_due_date: string | null;
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
  paid_cents: number;
  balance_due_cents: number;
  updated_at: string;
  line_items: {
    name: string;
    description: string | null;
    quantity: number;
    unit_type: string;
    unit_price_cents: number;
    total_cents: number;
  }[];
}

/** The account's logo without its bytes. `sha256` identifies the version of the logo. */
export interface LogoRef {
  sha256: string;
  content_type: LogoType;
  width: number;
  height: number;
}

interface Address {
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
}

export interface DocumentRow {
  /** The REST representation of the invoice, as JSON text. */
  body: string;
  released_at: Date | null;
  tax_rate_bps: number;
  /** Payment terms in days: the customer's or, if the customer has none, the account's. */
  terms_days: number;
  time_zone: string;
  environment: 'live' | 'sandbox';
  account: Address & {
    name: string;
    phone: string | null;
    email: string | null;
    remittance_text: string | null;
    /**
     * The account's own texts with placeholders. Null means that the service's standard text is
     * used.
     */
    mail_subject: string | null;
    mail_text: string | null;
    sms_text: string | null;
  };
  customer: (Address & { company_name: string }) | null;
  logo: LogoRef | null;
}
