import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WebhookTarget } from '../../test/support/vendors/doubles/stripe/stripe-account.js';

export interface StripeCounts {
  /** Calls of the product. */
  calls: number;
  /** Requests and answers that the vendor's contract does not allow. */
  violations: number;
  /** Attempts to send a webhook, and those that the product did not accept. */
  webhooks: number;
  refused: number;
}

/** The reply to each request that the process takes. */
export interface StripeReplies {
  origin: string;
  open: string;
  send: boolean;
  pay: number[];
  count: StripeCounts;
}

export type StripeRequest =
  | { type: 'origin' }
  | { type: 'open' }
  | { type: 'send'; key: string; webhook: WebhookTarget }
  | { type: 'pay'; urls: readonly string[]; perSecond: number }
  | { type: 'count' };

/**
 * Controls a double of Stripe in a process of its own. So the double's checks and its webhooks do
 * not delay the bench's clock, and its CPU time can be measured.
 */
export class StripeProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly origin: string,
  ) {}

  static async start(): Promise<StripeProcess> {
    const child = fork(fileURLToPath(new URL('stripe-server.ts', import.meta.url)), [], {
      execArgv: ['--import', 'tsx'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    return new StripeProcess(child, await request(child, { type: 'origin' }));
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** Opens an account, and returns its secret key. */
  openAccount(): Promise<string> {
    return request(this.child, { type: 'open' });
  }

  async sendWebhooks(key: string, webhook: WebhookTarget): Promise<void> {
    await request(this.child, { type: 'send', key, webhook });
  }

  /** Pays the pages at a fixed rate. Returns the time of each payment, in ms since 1970. */
  pay(urls: readonly string[], perSecond: number): Promise<number[]> {
    return request(this.child, { type: 'pay', urls, perSecond });
  }

  count(): Promise<StripeCounts> {
    return request(this.child, { type: 'count' });
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}

function request<Request extends StripeRequest>(
  child: ChildProcess,
  message: Request,
): Promise<StripeReplies[Request['type']]> {
  return new Promise((resolve) => {
    child.once('message', (reply) => resolve(reply as StripeReplies[Request['type']]));
    child.send(message);
  });
}
