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
import { findPretendFailure } from './pretend-text.js';

/*
 * This folder plans and stores messages. The folder `invoices` imports it, because sending an
 * invoice plans messages. The commands on stored messages are in the folder `messages`. That folder
 * imports `invoices`, because these commands change the status of invoices.
 */

export interface Recipient {
  channel: DeliveryChannel;
  address: string;
}

/** A message that the current transaction will store. */
export interface PlannedMessage extends Recipient {
  id: string;
  provider: string;
  /** The connection that sends the message; null for the mail server and the outbox. */
  connectionId: string | null;
  /** The reason why a sandbox pretends that the message fails, or null. */
  failure: string | null;
  /** The link in the message. */
  url: string;
}

/** A command that sends an invoice, and the messages that it sends. */
export interface PlannedSending {
  command: Command;
  messages: PlannedMessage[];
}

/**
 * True if a provider still has to accept one of the messages. Messages for the outbox count as sent
 * immediately.
 */
export function isInFlight({ messages }: PlannedSending): boolean {
  return messages.some(({ provider }) => provider !== OUTBOX_PROVIDER);
}

/** The facts that determine the provider of a message. */
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
      failure: findPretendFailure({
        channel: recipient.channel,
        recipient: recipient.address,
        environment: command.environment,
      }),
      url: `${config.publicUrl}/i/${token}`,
    };
  });
}

/** Returns the wake-up jobs for messages that a provider still has to accept. */
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

/** Returns the outbound operations for the messages that a connection sends. */
export function planOperations(
  messages: readonly { tenant_id: string; id: string; connection_id: string | null }[],
): NewOperation[] {
  return messages.flatMap(({ tenant_id, id, connection_id }) =>
    connection_id === null
      ? []
      : [{ tenant_id, connection_id, kind: 'message', local_id: id, verb: 'send', is_creation: true }],
  );
}
