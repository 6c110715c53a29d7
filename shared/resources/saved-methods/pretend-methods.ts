import type {
  ChargeOrder,
  ChargeResult,
  SavedMethodState,
} from '../../integrations/contract/saved-methods.js';

interface PretendMethod {
  label: string;
  type: 'card' | 'us_bank_account';
  last4: string;
  /** Why the bank declines each charge. */
  declineCode?: string;
  message?: string;
}

/**
 * The payment methods that a person can save in a sandbox without a vendor. Three of them are
 * declined, so that developers can test each reaction: try again, ask the customer, stop.
 */
export const PRETEND_METHODS = {
  works: { label: 'A card that works', type: 'card', last4: '4242' },
  again: {
    label: 'A card that is declined, and tried again after days',
    type: 'card',
    last4: '9995',
    declineCode: 'insufficient_funds',
    message: 'The card has insufficient funds.',
  },
  ask: {
    label: 'A card whose bank asks the customer to confirm each charge',
    type: 'card',
    last4: '3184',
    declineCode: 'authentication_required',
    message: 'The bank asks the customer to confirm the charge.',
  },
  stop: {
    label: 'A card that was reported stolen',
    type: 'card',
    last4: '9979',
    declineCode: 'stolen_card',
    message: 'The card was reported stolen.',
  },
  bank: {
    label: 'A bank account, whose small deposits are to be confirmed',
    type: 'us_bank_account',
    last4: '6789',
  },
} as const satisfies Record<string, PretendMethod>;

/** Stands for a method that an earlier version of this service offered. */
const UNKNOWN_METHOD: PretendMethod = {
  label: '',
  type: 'card',
  last4: '',
  declineCode: 'payment_method_removed',
  message: 'The sandbox no longer offers this payment method.',
};

export type PretendMethodName = keyof typeof PRETEND_METHODS;

const PREFIX = 'pretend_method_';

export const isPretendMethod = (name: string | null): name is PretendMethodName =>
  name !== null && Object.hasOwn(PRETEND_METHODS, name);

/**
 * Returns the pretend vendor's id of a method. The id contains the name, which decides the result
 * of each charge.
 */
export const toPretendMethodId = (name: PretendMethodName): string => `${PREFIX}${name}`;

/** Returns the description of a saved method that a vendor would send. */
export function describePretendMethod(
  methodId: string,
  name: PretendMethodName,
  { status, verificationUrl }: Pick<SavedMethodState, 'status' | 'verificationUrl'>,
): SavedMethodState {
  const { type, last4 } = PRETEND_METHODS[name];
  const isCard = type === 'card';
  return {
    methodId,
    customerExternalId: 'pretend_customer',
    status,
    type,
    brand: isCard ? 'visa' : 'Pretend Bank',
    last4,
    expMonth: isCard ? 12 : null,
    expYear: isCard ? new Date().getUTCFullYear() + 3 : null,
    verificationUrl: status === 'verifying' ? verificationUrl : null,
    failureReason: status === 'failed' ? 'The deposits were not confirmed.' : null,
  };
}

/** Returns the result of a charge. The saved method decides the result, and no money moves. */
export function pretendCharge({ attemptId, methodExternalId }: ChargeOrder): ChargeResult {
  const paymentExternalId = `pretend_${attemptId}`;
  const name = methodExternalId.slice(PREFIX.length);
  const method: PretendMethod | undefined = isPretendMethod(name) ? PRETEND_METHODS[name] : undefined;
  const { type, declineCode = null, message = null } = method ?? UNKNOWN_METHOD;
  if (declineCode !== null) return { paymentExternalId, status: 'declined', declineCode, message };
  const status = type === 'card' ? 'succeeded' : 'processing';
  return { paymentExternalId, status, declineCode, message };
}
