import type { DeliveryChannel } from './choose-provider.js';

/** A new message, before it is stored. */
interface PretendedMessage {
  channel: DeliveryChannel;
  recipient: string;
  environment: 'live' | 'sandbox';
}

/** A sandbox pretends that texts to numbers with this ending fail. */
const UNREACHABLE_END = '0000';
const UNREACHABLE = `The sandbox pretends that no text reaches a number that ends in ${UNREACHABLE_END}.`;

/**
 * Returns the reason why a sandbox pretends that a text fails, or null. A sandbox sends no texts.
 * Without pretended failures, developers could not test how the service reacts to undelivered
 * texts.
 */
export function findPretendFailure({ channel, recipient, environment }: PretendedMessage): string | null {
  const isUnreachable = recipient.replace(/\D/g, '').endsWith(UNREACHABLE_END);
  return environment === 'sandbox' && channel === 'sms' && isUnreachable ? UNREACHABLE : null;
}
