import type { Change, OpenConnection, Page, PullStart, Written } from './connection.js';

export interface OutgoingMessage {
  /** The same on every attempt, so that a vendor or a mail program can recognize a duplicate. */
  id: string;
  sender: string;
  recipient: string;
  subject: string | null;
  text: string;
  html: string | null;
  attachment: { filename: string; content: Buffer } | undefined;
  /** An inline picture, to which the HTML refers by `cid:` and the `contentId`. */
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
  /** True if an earlier attempt had no response, so the vendor may have processed it. */
  mayHaveArrived: boolean;
  /**
   * Start of the first attempt with this key. If the vendor may have forgotten the key since then,
   * the adapter must first look for the record at the vendor.
   */
  firstAttemptAt: Date;
}

export interface MessageState {
  state: 'pending' | 'delivered' | 'failed';
  /** The vendor's reason if the state is `failed`. */
  reason: string | null;
  /** RFC 3339: when the text arrived, if the state is `delivered` and the vendor says when. */
  at?: string;
}

/** An item of a webhook that names a text. */
export interface TextNotice {
  dedupeId: string;
  hint: string;
  receivedAt: Date;
}

/**
 * Sends text messages through one vendor, and reads whether they were delivered. Keeps no state.
 */
export interface MessagingAdapter {
  /**
   * Sends a text at most once per operation key. If an earlier attempt may have arrived, the
   * adapter first looks for the text at the vendor.
   */
  send(connection: OpenConnection, message: OutgoingMessage, attempt: WriteAttempt): Promise<Written>;
  /**
   * Finds the text that an earlier attempt may have sent. Sends nothing. Returns undefined if the
   * vendor has no such text. An adapter omits this function if the vendor offers no search.
   */
  find?(
    connection: OpenConnection,
    message: OutgoingMessage,
    attempt: WriteAttempt,
  ): Promise<Written | undefined>;
  /**
   * Translates an item of a webhook that contains the state of its text, without a call. Returns
   * undefined if the text must be read at the vendor.
   */
  translate?(notice: TextNotice): Change<MessageState> | undefined;
  /**
   * Reads the texts that webhooks named in `InboundNotice.hint`. An adapter omits this function if
   * its webhooks name no texts.
   */
  readNamed?(connection: OpenConnection, hints: readonly string[]): Promise<Change<MessageState>[]>;
  pull(connection: OpenConnection, from: PullStart): Promise<Page<MessageState>>;
}
