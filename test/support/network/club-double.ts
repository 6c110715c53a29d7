import { randomUUID } from 'node:crypto';
import type { TestClient, TestResponse } from '../client.js';

/** The outcomes that the club records for one claim, one after the other. */
export type ClubScript = Record<string, unknown>[];

interface ClubOptions {
  /**
   * Each outcome is sent this many times at once, like the requests of a club that got no response.
   */
  repeats?: number;
}

/**
 * Stands in for a motor club's office. The double lists the claims that were submitted to the club,
 * and records outcomes over HTTP with its own API key. It may repeat its requests.
 */
export class ClubDouble {
  readonly responses: TestResponse[] = [];
  readonly #scripts = new Map<string, ClubScript>();

  constructor(
    private readonly client: TestClient,
    private readonly manners: ClubOptions = {},
  ) {}

  addOutcomes(claimId: string, script: ClubScript): void {
    this.#scripts.set(claimId, [...script]);
  }

  /** Sends outcomes until every claim that is with the club has received all its outcomes. */
  async sendOutcomes(): Promise<void> {
    for (let hasResponded = true; hasResponded; ) {
      hasResponded = false;
      for (const id of await this.#findSentClaims()) {
        const outcome = this.#scripts.get(id)?.shift();
        if (!outcome) continue;
        hasResponded = true;
        await this.#sendOutcome(id, outcome);
      }
    }
  }

  /** Lists the ids of all claims that are with the club, page by page. */
  async #findSentClaims(): Promise<string[]> {
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

  async #sendOutcome(id: string, outcome: Record<string, unknown>): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() };
    const requests = Array.from({ length: this.manners.repeats ?? 1 }, () =>
      this.client.post(`/claims/${id}/outcome`, outcome, { headers }),
    );
    this.responses.push(...(await Promise.all(requests)));
  }
}
