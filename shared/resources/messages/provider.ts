import type { Config } from '../../platform/config.js';

export type Channel = 'email' | 'sms';

/** The provider of what only lies in the outbox, to be seen; it sends nothing. */
export const OUTBOX = 'outbox';

/**
 * Who takes the messages of a channel. Text messages have no vendor yet, so they stay in the outbox, as mails do without a mail server; nothing leaves
 * a sandbox ever (decisions 6).
 */
export function providerFor(config: Config, channel: Channel, environment: 'live' | 'sandbox'): string {
  return environment === 'live' && channel === 'email' && config.smtpUrl ? 'smtp' : OUTBOX;
}

/** A message on its way out of the house. */
export interface OutgoingMessage {
  /** The same on every attempt, so that a provider or a mailbox can recognise a repeat. */
  id: string;
  sender: string;
  recipient: string;
  subject: string | null;
  text: string;
  html: string | null;
  attachment: { filename: string; content: Buffer } | undefined;
  /** What the HTML shows by `cid:`. */
  picture?: { contentId: string; contentType: string; content: Buffer };
}

/** A vendor that takes messages, of mail or of text: add one to `workers/messages/providers.ts` and to {@link providerFor}. */
export interface MessageProvider {
  /** Resolves once the provider has accepted the message. @throws {DeliveryError} when it did not */
  send(message: OutgoingMessage): Promise<void>;
}

/** Why a provider did not take a message, in words for the account. */
export class DeliveryError extends Error {
  constructor(
    message: string,
    /** True: the same message would be refused again. */
    readonly permanent: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'DeliveryError';
  }
}
