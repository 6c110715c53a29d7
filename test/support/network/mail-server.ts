import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/**
 * How the server treats the next mail or, with `to`, the next mail to that address. Tests set `to`,
 * because the clock may send other mails at any moment.
 */
export type MailBehavior = { to?: string } & (
  | { as: 'accept' }
  /** Refuses the sender (at MAIL), a recipient (at RCPT) or the mail (after its data). */
  | { as: 'refuse'; code: number; text: string; at: 'sender' | 'recipient' | 'data' }
  /** Sends no response after the data. */
  | { as: 'hang' }
  /** Closes all connections to the server after the data, without a response. */
  | { as: 'cut' }
);

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: Buffer;
  mail: Email;
  /** When its data was complete, in ms since 1970. */
  at: number;
}

/** A real SMTP server on loopback. It accepts every mail unless a test sets a behavior. */
export class MailServer {
  /** The mails that the server accepted with 250. */
  readonly accepted: ReceivedMail[] = [];
  /** The mails whose data the server received, whether or not it accepted them. */
  readonly received: ReceivedMail[] = [];
  connections = 0;
  /** The delay in ms between the data of a mail and the server's response. */
  delayMs = 0;
  /** The highest number of mails that the server handled concurrently. */
  maxConcurrent = 0;
  private inProgress = 0;
  private behaviors: MailBehavior[] = [];
  private heldConnections: (() => void)[] = [];
  private constructor(private readonly server: SMTPServer) {}

  static async start(): Promise<MailServer> {
    const holder: { self?: MailServer } = {};
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onConnect(_session, done) {
        (holder.self as MailServer).connections += 1;
        done();
      },
      onMailFrom: (_address, _session, done) => done((holder.self as MailServer).refusalAt('sender')),
      onRcptTo: ({ address }, _session, done) =>
        done((holder.self as MailServer).refusalAt('recipient', [address])),
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const envelope = {
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
          };
          void (holder.self as MailServer).take(Buffer.concat(chunks), envelope, done);
        });
      },
    });
    server.on('error', () => undefined);
    holder.self = new MailServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return holder.self;
  }

  /** True if no mail waits for the server's response. */
  get isIdle(): boolean {
    return this.inProgress === 0;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Sets the behavior for the next mails, one behavior per mail. */
  setNextBehaviors(...manners: MailBehavior[]): void {
    this.behaviors.push(...manners);
  }

  /** Forgets the behaviors that are set, and counts concurrent mails anew. */
  reset(): void {
    this.release();
    this.behaviors = [];
    this.delayMs = 0;
    this.maxConcurrent = 0;
  }

  /** Returns the index of the next behavior for a mail to these addresses, or -1. */
  private findBehavior(addresses: string[]): number {
    return this.behaviors.findIndex(({ to }) => to === undefined || addresses.includes(to));
  }

  /**
   * Returns the error with which the server refuses the next mail at this command, or null if it
   * accepts the command.
   */
  private refusalAt(at: 'sender' | 'recipient', addresses: string[] = []): Error | null {
    const index = this.findBehavior(addresses);
    const behavior = this.behaviors[index];
    if (behavior?.as !== 'refuse' || behavior.at !== at) return null;
    this.behaviors.splice(index, 1);
    return Object.assign(new Error(behavior.text), { responseCode: behavior.code });
  }

  /** Closes the connections that wait for a response because of the behavior `hang`. */
  release(): void {
    for (const cut of this.heldConnections.splice(0)) cut();
  }

  private async take(
    raw: Buffer,
    envelope: { from: string; to: string[] },
    done: (error?: Error | null, message?: string) => void,
  ): Promise<void> {
    const received = { ...envelope, raw, at: Date.now(), mail: await PostalMime.parse(raw) };
    this.received.push(received);
    this.inProgress += 1;
    this.maxConcurrent = Math.max(this.maxConcurrent, this.inProgress);
    if (this.delayMs > 0) await sleep(this.delayMs);
    this.inProgress -= 1;
    const index = this.findBehavior(envelope.to);
    const [behavior = { as: 'accept' }] = index < 0 ? [] : this.behaviors.splice(index, 1);
    if (behavior.as === 'accept') {
      this.accepted.push(received);
      done(null, 'OK queued');
    } else if (behavior.as === 'refuse') {
      done(Object.assign(new Error(behavior.text), { responseCode: behavior.code }));
    } else {
      const cut = () => {
        for (const connection of this.server.connections) connection.close();
      };
      if (behavior.as === 'cut') cut();
      else this.heldConnections.push(cut);
    }
  }

  async stop(): Promise<void> {
    this.release();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
