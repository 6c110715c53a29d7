import { setTimeout as sleep } from 'node:timers/promises';

const MAX_ATTEMPTS = 6;

export interface WebhookPost {
  url: string;
  body: string;
  /** Builds the headers of each attempt, with the signature. */
  buildHeaders: () => Record<string, string>;
  /** The number of copies, all sent at the same time. */
  copies: number;
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
      const status = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) })
        .then((response) => response.status)
        .catch(() => 0);
      this.statuses.push(status);
      if (status >= 200 && status < 300) return;
      await sleep(100 * 2 ** attempt);
    }
  }
}
