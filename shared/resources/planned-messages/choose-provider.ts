import type { Config } from '../../config/config.js';

export type DeliveryChannel = 'email' | 'sms';

/** The provider that sends nothing: its messages stay readable in the outbox. */
export const OUTBOX_PROVIDER = 'outbox';

/**
 * The provider for a channel. Text messages have no vendor yet, so they stay in the outbox, as
 * mails do without a mail server. A sandbox never sends anything (docs/decisions.md §6).
 */
export function providerFor(
  config: Config,
  channel: DeliveryChannel,
  environment: 'live' | 'sandbox',
): string {
  return environment === 'live' && channel === 'email' && config.smtpUrl ? 'smtp' : OUTBOX_PROVIDER;
}
