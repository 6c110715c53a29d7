import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

const MAX_ATTEMPTS = 6;
const TIMEOUT_MS = 5000;

export interface WebhookPost {
  url: string;
  body: string;
  /** Builds the headers of each attempt, with the signature. */
  buildHeaders: () => Record<string, string>;
  /** The number of copies, all sent at the same time. */
  copies: number;
}

/** Returns the status of the response. Uses undici, which needs half the CPU time of `fetch`. */
async function send(post: { url: string; body: string; headers: Record<string, string> }): Promise<number> {
  const { url, body, headers } = post;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await request(url, { method: 'POST', headers, body, signal });
  await response.body.dump();
  return response.statusCode;
}

/** Posts the webhooks of a vendor's double, and repeats those that were not accepted. */
export class WebhookPosts {
  /** The status code of each response, or 0 if there was no response. */
  readonly statuses: number[] = [];
  private readonly open = new Set<Promise<void>>();
  private isStopped = false;

  post(post: WebhookPost): void {
    for (let copy = 0; copy < post.copies; copy++) {
      const sending = this.repeat(post).finally(() => this.open.delete(sending));
      this.open.add(sending);
    }
  }

  /** Waits until each webhook is accepted, or has failed six times. */
  async settle(): Promise<void> {
    while (this.open.size > 0) await Promise.all(this.open);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.settle();
  }

  private async repeat({ url, body, buildHeaders }: WebhookPost): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !this.isStopped; attempt++) {
      const headers = { 'content-type': 'application/json', ...buildHeaders() };
      const status = await send({ url, body, headers }).catch(() => 0);
      this.statuses.push(status);
      if (status >= 200 && status < 300) return;
      await sleep(100 * 2 ** attempt);
    }
  }
}
