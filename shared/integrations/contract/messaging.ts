import type { OpenConnection, Page, PullStart, Written } from './connection.js';

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

/** Sends messages of all accounts through the operator's own provider. */
export interface MessageSender {
  /** Resolves once the vendor has accepted the message. @throws {VendorError} otherwise */
  send(message: OutgoingMessage): Promise<void>;
}

export interface WriteAttempt {
  /** The vendor's idempotency key: the same on every attempt of an operation. */
  operationKey: string;
  /** An earlier attempt had no response, so the vendor may have processed it. */
  mayHaveArrived: boolean;
  /** When the first attempt under the key began. Look first if the vendor may forget it. */
  firstAttemptAt: Date;
}

export interface MessageState {
  state: 'pending' | 'delivered' | 'failed';
  /** The vendor's reason for `failed`. */
  reason: string | null;
}

/** Translates messages for one vendor of texts, and keeps no state. */
export interface MessagingAdapter {
  /**
   * Sends a text at most once per operation key: if an earlier attempt may have arrived, the
   * adapter first looks for the text at the vendor.
   */
  send(connection: OpenConnection, message: OutgoingMessage, attempt: WriteAttempt): Promise<Written>;
  /**
   * Looks for a text that earlier attempts may have sent, and sends nothing. Undefined: it was not
   * sent. Vendors that cannot look leave it out.
   */
  find?(
    connection: OpenConnection,
    message: OutgoingMessage,
    attempt: WriteAttempt,
  ): Promise<Written | undefined>;
  pull(connection: OpenConnection, from: PullStart): Promise<Page<MessageState>>;
}
