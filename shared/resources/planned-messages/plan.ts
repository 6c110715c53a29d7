import type { Config } from '../../config/config.js';
import type { Command, Prompt } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { MESSAGES_QUEUE } from '../../queues/messages.js';
import type { NewOperation } from '../../sync/operation-rows.js';
import {
  type DeliveryChannel,
  OUTBOX_PROVIDER,
  providerFor,
  type TextConnections,
} from './choose-provider.js';
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
  /** The connection that sends it; null: the mail server or the outbox. */
  connectionId: string | null;
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

/** Which providers there are. */
export interface ProviderFacts {
  config: Config;
  textConnections: TextConnections;
}

export function planMessages(
  command: Command,
  recipients: Recipient[],
  { config, textConnections }: ProviderFacts,
): PlannedMessage[] {
  const key = deriveLinkKey(config);
  return recipients.map((recipient) => {
    const id = newId();
    const token = sealLink(key, { tenantId: command.tenantId, messageId: id });
    return {
      ...recipient,
      id,
      ...providerFor(
        config,
        { channel: recipient.channel, environment: command.environment },
        textConnections.get(command.tenantId),
      ),
      url: `${config.publicUrl}/i/${token}`,
    };
  });
}

/** The wake-up jobs for messages that a provider still has to accept. */
export function promptProviders(
  messages: readonly Pick<PlannedMessage, 'id' | 'provider' | 'connectionId'>[],
): Prompt[] {
  return messages.flatMap(({ id, provider, connectionId }) => {
    if (provider === OUTBOX_PROVIDER) return [];
    return connectionId === null
      ? [{ queue: MESSAGES_QUEUE, id }]
      : [{ queue: INTEGRATIONS_QUEUE, id: connectionId }];
  });
}

/** The writes at vendors that send these messages. */
export function planOperations(
  messages: readonly { tenant_id: string; id: string; connection_id: string | null }[],
): NewOperation[] {
  return messages.flatMap(({ tenant_id, id, connection_id }) =>
    connection_id === null
      ? []
      : [{ tenant_id, connection_id, kind: 'message', local_id: id, verb: 'send', is_creation: true }],
  );
}
