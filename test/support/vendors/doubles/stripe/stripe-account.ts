import { randomBytes } from 'node:crypto';
import type { ContractCheck } from '../../contracts/contract-check.js';

/** An object of Stripe, with the members that a client reads. */
export type StripeObject = { id: string; object: string; created: number } & Record<string, unknown>;

/** Stripe's name, id prefix and schema of each kind of objects. */
export const KINDS = {
  'checkout.session': { prefix: 'cs_test', schema: 'Checkout.Session' },
  payment_intent: { prefix: 'pi', schema: 'PaymentIntent' },
  charge: { prefix: 'ch', schema: 'Charge' },
  balance_transaction: { prefix: 'txn', schema: 'BalanceTransaction' },
  refund: { prefix: 're', schema: 'Refund' },
  dispute: { prefix: 'dp', schema: 'Dispute' },
  customer: { prefix: 'cus', schema: 'Customer' },
  payment_method: { prefix: 'pm', schema: 'PaymentMethod' },
  setup_intent: { prefix: 'seti', schema: 'SetupIntent' },
  payout: { prefix: 'po', schema: 'Payout' },
  event: { prefix: 'evt', schema: 'Event' },
  file: { prefix: 'file', schema: 'File' },
  'terminal.reader': { prefix: 'tmr', schema: 'Terminal.Reader' },
} as const;

export type Kind = keyof typeof KINDS;

/** Where the double sends the webhooks of an account. */
export interface WebhookTarget {
  url: string;
  secret: string;
}

export type EventListener = (account: StripeAccount, event: StripeObject) => void;

/** One account at Stripe: its objects in the order of their creation, and its keys. */
export class StripeAccount {
  readonly id = `acct_${token(8)}`;
  readonly objects = new Map<string, StripeObject>();
  /** Maps each idempotency key to the answer that the double gave. */
  readonly answers = new Map<string, { request: string; status: number; body: unknown }>();
  /**
   * Maps the id of each balance transaction to the id of the payout that contains the transaction.
   */
  readonly payoutOf = new Map<string, string>();
  webhook: WebhookTarget | undefined;
  /** The decline code for the next payment that the product makes with a saved payment method. */
  nextDecline: string | undefined;
  /** The number of seconds by which the vendor's clock is ahead of ours. */
  skewSeconds = 0;
  /** True if the account's key has no right for card readers. */
  lacksTerminal = false;

  constructor(
    readonly key: string,
    private readonly contract: ContractCheck | undefined,
    private readonly onEvent: EventListener,
  ) {}

  get isLive(): boolean {
    return isLiveKey(this.key);
  }

  add(kind: Kind, members: Record<string, unknown>): StripeObject {
    const { prefix, schema } = KINDS[kind];
    const base = {
      id: `${prefix}_${token(12)}`,
      object: kind,
      created: now() + this.skewSeconds,
      livemode: this.isLive,
    };
    const given = { ...base, ...members };
    const known = this.contract && kind !== 'file' ? this.contract.complete(schema, given) : given;
    const object = known as StripeObject;
    this.objects.set(object.id, object);
    return object;
  }

  find(id: unknown, kind?: Kind): StripeObject | undefined {
    const found = this.objects.get(String(id));
    return found && (kind === undefined || found.object === kind) ? found : undefined;
  }

  list(kind: Kind): StripeObject[] {
    return [...this.objects.values()].filter(({ object }) => object === kind).reverse();
  }

  /** Records an event with a copy of the object, and sends the webhook. */
  emit(type: string, object: StripeObject): StripeObject {
    const event = this.add('event', {
      type,
      account: this.id,
      api_version: '2026-10-28.endive',
      data: { object: structuredClone(object) },
      pending_webhooks: this.webhook ? 1 : 0,
      request: null,
    });
    this.onEvent(this, event);
    return event;
  }
}

function isLiveKey(key: string): boolean {
  return key.includes('_live_');
}

export function token(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

export function now(): number {
  return Math.floor(Date.now() / 1000);
}
