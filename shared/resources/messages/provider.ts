/** A message as a provider receives it. */
export interface OutgoingMessage {
  /** The same on every attempt, so that a provider or a mail program can recognize a duplicate. */
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

/**
 * A vendor that sends mails or texts. To add one, extend `workers/messages/providers.ts` and
 * `shared/resources/planned-messages/choose-provider.ts`.
 */
export interface MessageProvider {
  /** Resolves once the provider has accepted the message. @throws {DeliveryError} otherwise */
  send(message: OutgoingMessage): Promise<void>;
}

/** Why a provider did not accept a message; `message` is shown to the account. */
export class DeliveryError extends Error {
  constructor(
    message: string,
    /** True when the provider would refuse the same message again. */
    readonly permanent: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'DeliveryError';
  }
}
