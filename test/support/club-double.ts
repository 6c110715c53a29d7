import { randomUUID } from 'node:crypto';
import type { Answer, TestClient } from './client.js';

/** What the club says of one claim, in this order, each time the claim is sent to it. */
export type ClubScript = Record<string, unknown>[];

interface Manners {
  /** Every answer arrives this often, side by side, as from a partner that never heard our reply. */
  repeats?: number;
}

/**
 * A motor club's office, for want of one that could be called: it looks for claims that were sent to it and answers them over HTTP with a key of its own, as
 * an adapter will. It may stammer and answer out of turn.
 */
export class ClubDouble {
  /** What it was told, by status. */
  readonly answers: Answer[] = [];
  readonly #scripts = new Map<string, ClubScript>();

  constructor(
    private readonly client: TestClient,
    private readonly manners: Manners = {},
  ) {}

  willSay(claimId: string, script: ClubScript): void {
    this.#scripts.set(claimId, [...script]);
  }

  /** Answers until nothing is left that it was sent and has something to say about. */
  async work(): Promise<void> {
    for (let hasSpoken = true; hasSpoken; ) {
      hasSpoken = false;
      for (const id of await this.#sentClaims()) {
        const outcome = this.#scripts.get(id)?.shift();
        if (!outcome) continue;
        hasSpoken = true;
        await this.#say(id, outcome);
      }
    }
  }

  /** Claims that lie with the club, of every page. */
  async #sentClaims(): Promise<string[]> {
    const ids: string[] = [];
    for (const status of ['submitted', 'accepted']) {
      let cursor: string | null = null;
      do {
        const query: string = `/claims?status=${status}&limit=2${cursor ? `&cursor=${cursor}` : ''}`;
        const { data } = (await this.client.get(query)).body;
        ids.push(...data.items.map((claim: { id: string }) => claim.id));
        cursor = data.cursor;
      } while (cursor);
    }
    return ids;
  }

  async #say(id: string, outcome: Record<string, unknown>): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() };
    const sendings = Array.from({ length: this.manners.repeats ?? 1 }, () =>
      this.client.post(`/claims/${id}/outcome`, outcome, { headers }),
    );
    this.answers.push(...(await Promise.all(sendings)));
  }
}
