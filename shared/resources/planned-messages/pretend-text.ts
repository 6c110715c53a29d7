import type { DeliveryChannel } from './choose-provider.js';

/** A message that is about to be stored. */
interface PretendedMessage {
  channel: DeliveryChannel;
  recipient: string;
  environment: 'live' | 'sandbox';
}

/** The end of the numbers that no text of a sandbox reaches. */
const UNREACHABLE_END = '0000';
const UNREACHABLE = `The sandbox pretends that no text reaches a number that ends in ${UNREACHABLE_END}.`;

/**
 * Returns why a sandbox lets a text fail, or null. No text leaves a sandbox, so without this nobody
 * could try what happens if a text does not arrive.
 */
export function findPretendFailure({ channel, recipient, environment }: PretendedMessage): string | null {
  const isUnreachable = recipient.replace(/\D/g, '').endsWith(UNREACHABLE_END);
  return environment === 'sandbox' && channel === 'sms' && isUnreachable ? UNREACHABLE : null;
}
