import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** What the server does with a mail, or when it is greeted. */
export type Manner =
  | { as: 'accept' }
  /** Refuses at RCPT (an address) or after the data. */
  | { as: 'refuse'; code: number; text: string; at: 'recipient' | 'data' }
  /** Says nothing after the data. */
  | { as: 'hang' }
  /** Cuts the connection after the data, without an answer. */
  | { as: 'cut' };

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: Buffer;
  mail: Email;
}

/** A real SMTP server on loopback that can misbehave, for as many mails as it was told; then it accepts. */
export class MailServer {
  /** Mails that it answered with 250. */
  readonly accepted: ReceivedMail[] = [];
  /** Mails whose data it has, whatever it answered. */
  readonly seen: ReceivedMail[] = [];
  connections = 0;
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
      onRcptTo(_address, _session, done) {
        const [manner] = (box.self as MailServer).manners;
        if (manner?.as !== 'refuse' || manner.at !== 'recipient') return done();
        box.self?.manners.shift();
        done(Object.assign(new Error(manner.text), { responseCode: manner.code }));
      },
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

  /** How it treats the next mails, one each. */
  expect(...manners: Manner[]): void {
    this.manners.push(...manners);
  }

  /** Lets go of the connections that it keeps waiting: without an answer. */
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
