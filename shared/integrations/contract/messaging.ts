import type { OpenConnection, Page, PullStart, Written } from './connection.js';

/** A mail or text as its vendor receives it. */
export interface OutgoingMessage {
  /** The same on every attempt, so that a vendor or a mail program can recognize a duplicate. */
  id: string;
  sender: string;
  recipient: string;
  subject: string | null;
  text: string;
  html: string | null;
  attachment: { filename: string; content: Buffer } | undefined;
  /** The picture that the HTML refers to by `cid:`. */
  picture?: { contentId: string; contentType: string; content: Buffer };
}

/** Sends messages of all accounts for the operator of this deployment. */
export interface MessageSender {
  /** Resolves once the vendor has accepted the message. @throws {VendorError} otherwise */
  send(message: OutgoingMessage): Promise<void>;
}

/** One attempt to write something at a vendor. */
export interface WriteAttempt {
  /** The vendor's idempotency key: the same on every attempt of an operation. */
  operationKey: string;
  /** An earlier attempt had no response, so the vendor may have processed it. */
  mayHaveArrived: boolean;
}

/** What became of a message at the vendor. */
export interface MessageState {
  state: 'pending' | 'delivered' | 'failed';
  /** Why it failed. */
  reason: string | null;
}

/** Translates between messages and a vendor of texts. It keeps no state. */
export interface MessagingAdapter {
  /**
   * Sends a text. The vendor must not send it twice for one key: look first if it may have arrived.
   */
  send(connection: OpenConnection, message: OutgoingMessage, attempt: WriteAttempt): Promise<Written>;
  /** Reads a page of the states that changed. */
  pull(connection: OpenConnection, from: PullStart): Promise<Page<MessageState>>;
}
