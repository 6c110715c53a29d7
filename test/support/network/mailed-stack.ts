import { newId } from '../../../shared/platform/ids.js';
import { TestClient } from '../client.js';
import { eventually } from '../poll.js';
import { TestStack } from '../stack.js';
import { createHandle, useShared } from '../use-stack.js';
import { MailServer, type ReceivedMail } from './mail-server.js';

export const PUBLIC_URL = 'https://tow.example.com';

/** Returns an address that no other test uses. */
export const createAddress = () => `${newId()}@example.com`;

/**
 * Returns a running product whose mails arrive at a real SMTP server. The clock does not run. So a
 * mail arrives only if the write that causes it also wakes the worker. Files with the same
 * environment share the product.
 */
export function useMailedStack(environment: Record<string, string> = {}) {
  const running = useShared(
    JSON.stringify(['mailed', environment]),
    () => startMailedStack(environment),
    async ({ stack, server }) => {
      await stack.stop();
      await server.stop();
    },
  );
  const listMails = (address: string): ReceivedMail[] =>
    running.server.accepted.filter(({ to }) => to.includes(address));
  return {
    stack: createHandle(() => running.stack, ['stop']),
    listMails,
    mailbox: (address: string) => new Mailbox(() => listMails(address)),
  };
}

async function startMailedStack(environment: Record<string, string>) {
  const server = await MailServer.start();
  const mail = { SMTP_URL: server.url, MAIL_FROM: 'hello@tow.example.com', BASE_URL: PUBLIC_URL };
  const stack = await TestStack.start({ environment: { TRUST_PROXY: 'true', ...mail, ...environment } });
  return { server, stack };
}

/** The mails that one address received. */
export class Mailbox {
  constructor(private readonly list: () => ReceivedMail[]) {}

  get count(): number {
    return this.list().length;
  }

  /** Waits until `count` mails have arrived, and returns the last one. */
  async waitFor(count = 1): Promise<ReceivedMail> {
    return eventually(`${count} mails`, () => {
      const mails = this.list();
      return mails.length >= count ? (mails[count - 1] as ReceivedMail) : false;
    });
  }

  /** Waits for a mail, and returns the token of the link in it. */
  async waitForToken(count = 1): Promise<string> {
    return readToken(await this.waitFor(count));
  }
}

export function readToken({ mail }: ReceivedMail): string {
  const [, token] = /\/app\/[a-z-]+\/([0-9A-Za-z]{43})\b/.exec(mail.text ?? '') ?? [];
  if (!token) throw new Error(`no link in ${mail.text}`);
  return token;
}

let networks = 0;
/**
 * Returns a client without a credential. Each client has its own network, so none uses up the
 * limits of another.
 */
export function createStranger(stack: TestStack): TestClient {
  networks += 1;
  const address = `198.${Math.floor(networks / 250) + 18}.${networks % 250}.1`;
  return new TestClient(stack.origin, '', '/v1', { 'x-forwarded-for': address });
}
