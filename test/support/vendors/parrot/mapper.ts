import type { Change, Written } from '../../../../shared/integrations/contract/connection.js';
import type { MessageState, OutgoingMessage } from '../../../../shared/integrations/contract/messaging.js';

/** A text to a phone, as Parrot's API returns it. */
export interface ParrotText {
  id: string;
  status: 'queued' | 'delivered' | 'failed';
  reason: string | null;
  /**
   * A number from a counter that all texts share. Each change of a text gives the text the next
   * number.
   */
  seq: number;
}

const toVersion = (seq: number) => String(seq).padStart(12, '0');

export function toText({ recipient, text }: OutgoingMessage, from: unknown) {
  return { to: recipient, from, body: text };
}

export function toWritten({ id, seq }: ParrotText): Written {
  return { externalId: id, version: toVersion(seq) };
}

export function toChange({ id, seq, status, reason }: ParrotText): Change<MessageState> {
  const state = status === 'queued' ? 'pending' : status;
  return { kind: 'message', externalId: id, version: toVersion(seq), fields: { state, reason } };
}
