import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** What the server does with a mail, or with a command before it. */
export type Manner =
  | { as: 'accept' }
  /** Refuses at MAIL (the sender), at RCPT (a recipient) or after the data. */
  | { as: 'refuse'; code: number; text: string; at: 'sender' | 'recipient' | 'data' }
  /** Sends no response after the data. */
  | { as: 'hang' }
  /** Closes the connection after the data, without a response. */
  | { as: 'cut' };

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: Buffer;
  mail: Email;
}

/**
 * A real SMTP server on loopback that can misbehave for a given number of mails. It accepts all
 * others.
 */
export class MailServer {
  /** Mails that it accepted with 250. */
  readonly accepted: ReceivedMail[] = [];
  /** Mails whose data it received, accepted or not. */
  readonly seen: ReceivedMail[] = [];
  connections = 0;
  /** The time that it takes over the data of every mail, in ms. */
  delayMs = 0;
  /** The highest number of mails that it handled concurrently. */
  mostAtOnce = 0;
  private inHand = 0;
  private manners: Manner[] = [];
  private held: (() => void)[] = [];
  private constructor(private readonly server: SMTPServer) {}

  static async start(): Promise<MailServer> {
    const box: { self?: MailServer } = {};
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onConnect(_session, done) {
        (box.self as MailServer).connections += 1;
        done();
      },
      onMailFrom: (_address, _session, done) => done((box.self as MailServer).refusalAt('sender')),
      onRcptTo: (_address, _session, done) => done((box.self as MailServer).refusalAt('recipient')),
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const envelope = {
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
          };
          void (box.self as MailServer).take(Buffer.concat(chunks), envelope, done);
        });
      },
    });
    server.on('error', () => undefined);
    box.self = new MailServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return box.self;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Sets the behavior for the next mails, one for each. */
  expect(...manners: Manner[]): void {
    this.manners.push(...manners);
  }

  /** The refusal of the next mail at this command, if any. */
  private refusalAt(at: 'sender' | 'recipient'): Error | null {
    const [manner] = this.manners;
    if (manner?.as !== 'refuse' || manner.at !== at) return null;
    this.manners.shift();
    return Object.assign(new Error(manner.text), { responseCode: manner.code });
  }

  /** Closes the connections that it keeps waiting, without a response. */
  release(): void {
    for (const cut of this.held.splice(0)) cut();
  }

  private async take(
    raw: Buffer,
    envelope: { from: string; to: string[] },
    done: (error?: Error | null, message?: string) => void,
  ): Promise<void> {
    const received = { ...envelope, raw, mail: await PostalMime.parse(raw) };
    this.seen.push(received);
    this.inHand += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.inHand);
    if (this.delayMs > 0) await sleep(this.delayMs);
    this.inHand -= 1;
    const manner = this.manners.shift() ?? { as: 'accept' };
    if (manner.as === 'accept') {
      this.accepted.push(received);
      done(null, 'OK queued');
    } else if (manner.as === 'refuse') {
      done(Object.assign(new Error(manner.text), { responseCode: manner.code }));
    } else {
      const cut = () => {
        for (const connection of this.server.connections) connection.close();
      };
      if (manner.as === 'cut') cut();
      else this.held.push(cut);
    }
  }

  async stop(): Promise<void> {
    this.release();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
