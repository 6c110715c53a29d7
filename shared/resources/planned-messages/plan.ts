import type { Config } from '../../config/config.js';
import type { Command } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import { type DeliveryChannel, OUTBOX_PROVIDER, providerFor } from './choose-provider.js';
import { deriveLinkKey, sealLink } from './link.js';

/*
 * Messages before they are stored. They lie below invoices, because sending an invoice plans its
 * messages. The commands on stored messages lie above, because they move invoices.
 */

export interface Recipient {
  channel: DeliveryChannel;
  address: string;
}

/** A message that the transaction will store. */
export interface PlannedMessage extends Recipient {
  id: string;
  provider: string;
  /** The link in the message. */
  url: string;
}

/** An invoice with the messages that send it. */
export interface PlannedSending {
  command: Command;
  messages: PlannedMessage[];
}

/**
 * Returns true if a provider still has to accept a message. Messages for the outbox count as sent
 * immediately.
 */
export function isInFlight({ messages }: PlannedSending): boolean {
  return messages.some(({ provider }) => provider !== OUTBOX_PROVIDER);
}

export function planMessages(command: Command, recipients: Recipient[], config: Config): PlannedMessage[] {
  const key = deriveLinkKey(config);
  return recipients.map((recipient) => {
    const id = newId();
    const token = sealLink(key, { tenantId: command.tenantId, messageId: id });
    return {
      ...recipient,
      id,
      provider: providerFor(config, recipient.channel, command.environment),
      url: `${config.publicUrl}/i/${token}`,
    };
  });
}
